/** The row of a new job. Its id was made by whoever enqueued it, so a repeated insert finds the row and leaves it. */
import type { Database } from 'better-sqlite3'
import type { NewJob } from '../../job/new-job.ts'
import { inputInRowMax, payloadToColumn, timeToColumn } from './job-columns.ts'

/** Inserts a job in its first state, and answers with its `seq`, or with null where its id is there already. */
export type InsertJob = (job: NewJob, state: 'ready' | 'suspended', now: number) => number | null

/** Prepares the insert for a connection. */
export function prepareInsertJob(db: Database): InsertJob {
  const insert = db.prepare(`
    INSERT INTO reeve_jobs (id, kind, queue, grp, state, priority, run_at, attempts_max, timeout_ms, backoff, created_at, input)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO NOTHING
  `)
  const insertInput = db.prepare('INSERT INTO reeve_inputs (job, input) VALUES (?, ?)')
  const enterLane = db.prepare('UPDATE reeve_jobs SET lane = lane WHERE seq = ?')
  return (job, state, now) => {
    const input = payloadToColumn(job.input)
    const large = input !== null && input.length > inputInRowMax
    const { changes, lastInsertRowid } = insert.run(
      job.id,
      job.kind,
      job.queue,
      job.group,
      state,
      job.priority,
      timeToColumn(job.runAt),
      job.attemptsMax,
      job.timeoutMs,
      job.backoff === null ? null : JSON.stringify(job.backoff),
      now,
      large ? null : input,
    )
    if (changes === 0) return null
    if (large) insertInput.run(lastInsertRowid, input)
    if (job.group !== null) enterLane.run(lastInsertRowid)
    return Number(lastInsertRowid)
  }
}
