/**
 * An enqueue as one SQL statement, for a transaction of the app's own. It goes by a view whose trigger does what a runtime does
 * in its own code: the key, the lane of a group, an input too large for its row. A seam: whoever enqueues may use it.
 */
import type { JobId } from '../job/lease.ts'
import type { NewJob } from '../job/new-job.ts'

/** What any SQLite driver takes: text, with a positional parameter for each `?`. */
export interface EnqueueStatement {
  /** The id that the job will have. With `unique` and conflict `'reuse'` no job has it where another one held the key. */
  readonly id: JobId
  readonly sql: string
  readonly params: readonly (string | number | Buffer | null)[]
}

const columns =
  'id, kind, queue, grp, priority, run_at, attempts_max, timeout_ms, backoff, created_at, input, unique_key, unique_while, unique_until, unique_conflict, correlation_id'

const sql = `INSERT INTO reeve_enqueue (${columns}) VALUES (${columns.replace(/\w+/g, '?')})`

/** Builds the statement. `now` is when it is enqueued: wall clock, milliseconds. */
export function enqueueStatementOf(job: NewJob, now: number): EnqueueStatement {
  const { id, kind, queue, group, priority, runAt, attemptsMax, timeoutMs, backoff, input, unique, correlationId = null } = job
  return {
    id,
    sql,
    params: [
      ...[id, kind, queue, group, priority, Math.ceil(runAt), attemptsMax, timeoutMs],
      backoff === null ? null : JSON.stringify(backoff),
      Math.ceil(now),
      input === null || typeof input === 'string' ? input : Buffer.from(input.buffer, input.byteOffset, input.byteLength),
      ...[unique?.key ?? null, unique?.hold ?? null, unique?.until ?? null, unique?.conflict ?? null, correlationId],
    ],
  }
}
