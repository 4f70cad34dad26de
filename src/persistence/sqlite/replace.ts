/** Replaces the input, the time and the options of a job that waits, as a later enqueue of its unique key asks. */
import type { Database } from 'better-sqlite3'
import type { NewJob } from '../../job/new-job.ts'
import { inputInRowMax, type JobColumns, payloadToColumn, timeToColumn } from './job-columns.ts'

/** What of a waiting row the replacing depends on. */
export type ReplacedRow = Pick<JobColumns, 'seq' | 'attempt' | 'attempts_max' | 'created_at'>

/** Prepares it for a connection. What was charged stays charged, and one more attempt is always left. */
export function prepareReplace(db: Database): (row: ReplacedRow, job: NewJob) => void {
  const write = db.prepare(`
    UPDATE reeve_jobs SET queue = ?, grp = ?, priority = ?, run_at = ?, attempts_max = ?, timeout_ms = ?, backoff = ?, input = ?,
      correlation_id = coalesce(?, correlation_id), replaced_by = ?, lane = lane
    WHERE seq = ?
  `)
  const deleteInput = db.prepare<[number]>('DELETE FROM reeve_inputs WHERE job = ?')
  const insertInput = db.prepare('INSERT INTO reeve_inputs (job, input) VALUES (?, ?)')
  return (row, job) => {
    const input = payloadToColumn(job.input)
    const large = input !== null && input.length > inputInRowMax
    const attemptsMax = row.attempt === 0 ? job.attemptsMax : Math.max(job.attemptsMax ?? row.attempts_max ?? 0, row.attempt + 1)
    write.run(
      job.queue,
      job.group,
      job.priority,
      dueAt(job, row.created_at),
      attemptsMax,
      job.timeoutMs,
      job.backoff === null ? null : JSON.stringify(job.backoff),
      large ? null : input,
      job.correlationId ?? null,
      job.id,
      row.seq,
    )
    deleteInput.run(row.seq)
    if (large) insertInput.run(row.seq, input)
  }
}

/** When a job is due: of a debounce, no later than `maxWait` after its first enqueue. */
export function dueAt(job: NewJob, createdAt: number): number {
  const maxWaitMs = job.unique?.maxWaitMs ?? null
  return timeToColumn(maxWaitMs === null ? job.runAt : Math.min(job.runAt, createdAt + maxWaitMs))
}
