/** The history of a job: an entry for each attempt that did not complete, and for each act by hand. The latest are kept. */
import type { Database } from 'better-sqlite3'
import type { HistoryOutcome } from '../attempt-row.ts'

/** How many entries a job keeps. */
export const historyMax = 50

/** One entry, as it is written. */
export interface HistoryEntry {
  /** The job's `seq`. */
  readonly job: number
  readonly token: number
  readonly attempt: number
  readonly outcome: HistoryOutcome
  readonly claimedAt: number | null
  readonly startedAt: number | null
  readonly endedAt: number
  readonly threadId: number | null
  readonly owner: string | null
  /** JSON of an error record. */
  readonly error: string | null
  /** JSON of a list of timings. */
  readonly timings: string | null
}

/** What an act by hand has of an attempt: nothing. */
export const byHand = { claimedAt: null, startedAt: null, threadId: null, owner: null, error: null, timings: null } as const

/** Prepares the writing of entries for a connection; always within the transaction of the verb that made them true. */
export function prepareHistory(db: Database): (entry: HistoryEntry) => void {
  const insert = db
    .prepare<HistoryEntry, number>(`
      INSERT INTO reeve_attempts (job, number, token, attempt, outcome, claimed_at, started_at, ended_at, thread_id, owner, error, timings)
      VALUES (@job, 1 + coalesce((SELECT max(number) FROM reeve_attempts WHERE job = @job), 0), @token, @attempt, @outcome,
        @claimedAt, @startedAt, @endedAt, @threadId, @owner, @error, @timings)
      RETURNING number
    `)
    .pluck()
  const cut = db.prepare<[number, number]>('DELETE FROM reeve_attempts WHERE job = ? AND number <= ?')
  return (entry) => {
    const number = insert.get(entry) ?? 0
    if (number > historyMax) cut.run(entry.job, number - historyMax)
  }
}
