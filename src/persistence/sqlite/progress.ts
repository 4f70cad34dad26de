/** Progress: the last word of a running attempt, under its token. */
import type { Database } from 'better-sqlite3'
import type { ProgressAnswer, ProgressCommand } from '../commands/progress.ts'

/** Prepares the command for a connection. A part that is null was not given and stays as it was. */
export function prepareProgress(db: Database): (command: ProgressCommand) => ProgressAnswer {
  const write = db.prepare(`
    UPDATE reeve_jobs SET progress = coalesce(?, progress), progress_note = coalesce(?, progress_note)
    WHERE id = ? AND state = 'running' AND token = ?
  `)
  return ({ lease, fraction, note }) => ({
    type: 'progressed',
    applied: write.run(fraction, note, lease.jobId, lease.token).changes === 1,
  })
}
