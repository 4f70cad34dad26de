/** The log lines of one job, by one range of the table's own key. */
import type { Database } from 'better-sqlite3'
import type { LogQuery, StoredLine } from '../../job-log.ts'

/** The statement, exported so that a test can hold its plan against the promise above. */
export const logsSql = `SELECT token, line, attempt, at, level, message, fields FROM reeve_logs
  WHERE job = @job AND (token, line) > (@token, @line) ORDER BY token, line LIMIT @limit`

/** Prepares the query for a connection. It answers null where no job has the id. */
export function prepareLogs(db: Database): (query: LogQuery) => readonly StoredLine[] | null {
  const seq = db.prepare<[string], number>('SELECT seq FROM reeve_jobs WHERE id = ?').pluck()
  const lines = db.prepare<{ job: number; token: number; line: number; limit: number }, StoredLine>(logsSql)
  return ({ jobId, after, limit }) => {
    const job = seq.get(jobId)
    return job === undefined ? null : lines.all({ job, token: after?.token ?? 0, line: after?.line ?? 0, limit })
  }
}
