/**
 * Who holds a unique key, and what an enqueue does that meets a holder. The unique index decides who holds it; these looks
 * and writes are parts of one write transaction, so nothing comes between them.
 */
import type { Database } from 'better-sqlite3'
import type { JobId } from '../../job/lease.ts'
import type { NewJob } from '../../job/new-job.ts'
import type { JobState } from '../../job/state.ts'
import { decideConflict, type UniqueRule } from '../../job/unique-key.ts'
import type { MovedJob } from '../commands/moved-job.ts'
import { prepareHandOver } from './ended.ts'
import { prepareReplace, type ReplacedRow } from './replace.ts'

/** A job with a rule. */
export type UniqueJob = NewJob & { readonly unique: UniqueRule }

/** What the enqueue of a unique job comes to; `insert` and `follow-up` leave the inserting to the caller. */
export type UniqueVerdict =
  | { readonly type: 'insert' | 'follow-up' }
  | { readonly type: 'existing' | 'replaced'; readonly id: JobId; readonly kind: string }
  | { readonly type: 'duplicate'; readonly holder: JobId }

interface HolderRow extends ReplacedRow {
  readonly id: JobId
  readonly kind: string
  readonly state: JobState
  readonly unique_until: number | null
}

/** A job with recorded steps has begun, wherever it waits: with another input they would be of no job. So it counts as running. */
const holderColumns = `seq, id, kind, attempt, attempts_max, created_at, unique_until, iif(settled_at IS NULL
  AND EXISTS (SELECT 1 FROM reeve_steps AS step WHERE step.job = reeve_jobs.seq), 'running', state) AS state`

/** Who holds a key. A holder whose time has passed holds no more, though its row still says so: that is corrected here. */
function prepareHolderNow(db: Database) {
  const holderOf = db.prepare<[string], HolderRow>(`
    SELECT ${holderColumns} FROM reeve_jobs INDEXED BY reeve_jobs_unique WHERE unique_key = ? AND unique_holds = 1
  `)
  const free = db.prepare<[number]>('UPDATE reeve_jobs SET unique_holds = 0 WHERE seq = ?')
  const handOver = prepareHandOver(db)
  return (key: string, now: number, moved: MovedJob[]): HolderRow | undefined => {
    let holder = holderOf.get(key)
    while (holder !== undefined && holder.unique_until !== null && holder.unique_until <= now) {
      free.run(holder.seq)
      const heir = handOver(key, now)
      if (heir !== null) moved.push(heir)
      holder = holderOf.get(key)
    }
    return holder
  }
}

/** Prepares the decision for a connection. `moved` collects follow-ups that it let go. */
export function prepareUnique(db: Database) {
  const holderNow = prepareHolderNow(db)
  const followUpOf = db.prepare<[string], HolderRow>(`
    SELECT ${holderColumns} FROM reeve_jobs INDEXED BY reeve_jobs_follow WHERE follow_key = ?
  `)
  // After a failed commit only: it reads the whole table.
  const replacedBy = db.prepare<[JobId], { id: JobId; kind: string }>('SELECT id, kind FROM reeve_jobs WHERE replaced_by = ?')
  const free = db.prepare<[number]>('UPDATE reeve_jobs SET unique_holds = 0 WHERE seq = ?')
  const replace = prepareReplace(db)

  return (job: UniqueJob, now: number, repeated: boolean, moved: MovedJob[]): UniqueVerdict => {
    const { unique } = job
    const before = repeated ? replacedBy.get(job.id) : undefined
    if (before !== undefined) return { type: 'replaced', ...before }
    const holder = holderNow(unique.key, now, moved)
    if (holder === undefined) return { type: 'insert' }
    const followUp = followUpOf.get(unique.key)
    switch (decideConflict(unique.conflict, job.kind, holder, followUp)) {
      case 'existing':
        return { type: 'existing', id: holder.id, kind: holder.kind }
      case 'refuse':
        return { type: 'duplicate', holder: holder.id }
      case 'follow-up':
        return { type: 'follow-up' }
      case 'take-over':
        free.run(holder.seq)
        return { type: 'insert' }
      case 'replace': {
        const last = followUp ?? holder
        replace(last, job)
        return { type: 'replaced', id: last.id, kind: last.kind }
      }
    }
  }
}

interface RetakenRow {
  readonly unique_key: string | null
  readonly unique_until: number | null
}

/**
 * Prepares how a job that was over takes its key again, for the verb that starts it anew, and before it does. Answers with the
 * job that holds the key meanwhile, and takes nothing then: the caller refuses with `REEVE_JOB_DUPLICATE`. Null: go on.
 */
export function prepareRetakeKey(db: Database): (seq: number, now: number, moved: MovedJob[]) => JobId | null {
  const read = db.prepare<[number], RetakenRow>('SELECT unique_key, unique_until FROM reeve_jobs WHERE seq = ?')
  const hold = db.prepare<[number]>('UPDATE reeve_jobs SET unique_holds = 1 WHERE seq = ?')
  const holderNow = prepareHolderNow(db)
  return (seq, now, moved) => {
    const row = read.get(seq)
    if (row === undefined || row.unique_key === null) return null
    if (row.unique_until !== null && row.unique_until <= now) return null
    const holder = holderNow(row.unique_key, now, moved)
    if (holder !== undefined && holder.seq !== seq) return holder.id
    hold.run(seq)
    return null
  }
}
