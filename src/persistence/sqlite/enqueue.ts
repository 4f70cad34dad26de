/** Enqueue: a job becomes a `ready` row. Its id was made by the client, so a repeated enqueue finds the row and leaves it. */
import type { Database } from 'better-sqlite3'
import type { EnqueueAnswer, EnqueueCommand } from '../commands/enqueue.ts'
import { inputInRowMax, payloadToColumn, timeToColumn } from './job-columns.ts'

/** Prepares the command for a connection. */
export function prepareEnqueue(db: Database): (command: EnqueueCommand) => EnqueueAnswer {
  const insert = db.prepare(`
    INSERT INTO reeve_jobs (id, kind, queue, grp, state, priority, run_at, attempts_max, timeout_ms, backoff, created_at, input)
    VALUES (?, ?, ?, ?, 'ready', ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO NOTHING
  `)
  const insertInput = db.prepare('INSERT INTO reeve_inputs (job, input) VALUES (?, ?)')
  const enterLane = db.prepare('UPDATE reeve_jobs SET lane = lane WHERE seq = ?')
  return ({ jobs, now }) => {
    for (const job of jobs) {
      const input = payloadToColumn(job.input)
      const large = input !== null && input.length > inputInRowMax
      const { changes, lastInsertRowid } = insert.run(
        job.id,
        job.kind,
        job.queue,
        job.group,
        job.priority,
        timeToColumn(job.runAt),
        job.attemptsMax,
        job.timeoutMs,
        job.backoff === null ? null : JSON.stringify(job.backoff),
        now,
        large ? null : input,
      )
      if (changes === 0) continue
      if (large) insertInput.run(lastInsertRowid, input)
      if (job.group !== null) enterLane.run(lastInsertRowid)
    }
    return { type: 'enqueued' }
  }
}
