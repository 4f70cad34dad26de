/**
 * Log lines of a running attempt, under its token. A line is known by its attempt's token and its number, so that lines which
 * are written again after an unknown commit are there once.
 */
import type { Database } from 'better-sqlite3'
import type { LogAnswer, LogCommand } from '../commands/log.ts'

/** Prepares the command for a connection. */
export function prepareLog(db: Database): (command: LogCommand) => LogAnswer {
  const holder = db
    .prepare<[string, number], number>("SELECT seq FROM reeve_jobs WHERE id = ? AND state = 'running' AND token = ?")
    .pluck()
  const insert = db.prepare(`
    INSERT INTO reeve_logs (job, token, line, attempt, at, level, message, fields) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
  `)
  const firstTooMany = db.prepare<[number, number], { token: number; line: number }>(
    'SELECT token, line FROM reeve_logs WHERE job = ? ORDER BY token DESC, line DESC LIMIT 1 OFFSET ?',
  )
  const forget = db.prepare('DELETE FROM reeve_logs WHERE job = ? AND (token, line) <= (?, ?)')
  return ({ lease, attempt, lines, keep }) => {
    const job = holder.get(lease.jobId, lease.token)
    if (job === undefined) return { type: 'logged', applied: false }
    for (const { line, at, level, message, fields } of lines)
      insert.run(job, lease.token, line, attempt, Math.round(at), level, message, fields)
    const tooMany = firstTooMany.get(job, keep)
    if (tooMany !== undefined) forget.run(job, tooMany.token, tooMany.line)
    return { type: 'logged', applied: true }
  }
}
