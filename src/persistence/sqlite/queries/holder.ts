/** Who holds a unique key, by the index that holds it. */
import type { Database } from 'better-sqlite3'
import type { JobId } from '../../../job/lease.ts'

/** A job by its id and kind. */
interface Holder {
  readonly id: JobId
  readonly kind: string
}

/** The statement, exported so that a test can hold its plan against the promise above. */
export const holderSql = `SELECT id, kind FROM reeve_jobs
  WHERE unique_holds = 1 AND unique_key = @uniqueKey AND (unique_until IS NULL OR unique_until > @now)`

/** Prepares the query for a connection. A key whose window has ended is free, though its row may not say so yet. */
export function prepareHolderOf(db: Database): (uniqueKey: string, now: number) => Holder | null {
  const holder = db.prepare<{ uniqueKey: string; now: number }, Holder>(holderSql)
  return (uniqueKey, now) => holder.get({ uniqueKey, now }) ?? null
}
