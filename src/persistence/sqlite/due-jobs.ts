/**
 * Which jobs are due where there is nothing but priority, due time and insertion to go by: no groups, no gates, all queues. Index
 * seeks alone. The index is by priority first, so a walk along it would cross every scheduled job of a high priority; instead
 * each priority is one range on `run_at`, and the next lower priority is one seek.
 */
import type { Database } from 'better-sqlite3'
import type { ClaimCommand } from '../commands/claim.ts'
import { inputColumn, type JobColumns } from './job-columns.ts'

/** The columns that a claim hands out. */
export const claimColumns = `seq, id, token, kind, queue, grp, priority, attempt, attempts_max, timeout_ms, backoff, created_at, run_at, suspect, schedule, scheduled_at, next_tick_at, catch_up, parent, root, correlation_id, ${inputColumn}`

/** A ready row, as far as a claim needs it. */
export type DueRow = Pick<
  JobColumns,
  | 'seq'
  | 'id'
  | 'token'
  | 'kind'
  | 'queue'
  | 'grp'
  | 'priority'
  | 'input'
  | 'attempt'
  | 'attempts_max'
  | 'timeout_ms'
  | 'backoff'
  | 'created_at'
  | 'run_at'
  | 'suspect'
  | 'schedule'
  | 'scheduled_at'
  | 'next_tick_at'
  | 'catch_up'
  | 'parent'
  | 'root'
  | 'correlation_id'
>

/**
 * The WHERE of the index must stand here word for word. `INDEXED BY` makes the plan a promise: statistics cannot talk SQLite into
 * another one, and a lost index is an error.
 */
const ready = `FROM reeve_jobs INDEXED BY reeve_jobs_ready WHERE state = 'ready' AND suspect = 0 AND grp IS NULL`

/** The statements, exported so that a test can hold their plans against the promise above. */
export const dueSql = {
  priorityBelow: `SELECT priority ${ready} AND priority < +? ORDER BY priority DESC LIMIT 1`,
  due: `SELECT ${claimColumns} ${ready} AND priority = +@priority AND run_at <= +@now ORDER BY run_at, seq LIMIT @count + 0`,
  next: `SELECT run_at ${ready} AND priority = +? ORDER BY run_at LIMIT 1`,
} as const

/** Which queues to look at. */
export type QueueScope = Pick<ClaimCommand, 'queues' | 'queuesExcluded'>

/** Looks at ready jobs without a group. */
export interface DueJobs {
  /** Up to `count` jobs with `runAt <= now`: by priority (highest first), then due time, then insertion. */
  due(now: number, count: number): DueRow[]
  /** The earliest `runAt` of all these jobs, or null. Costs one seek for each distinct priority. */
  nextRunAt(): number | null
}

/** Prepares the looks for a connection. */
export function prepareDueJobs(db: Database): DueJobs {
  const priorityBelow = db.prepare<[number], number>(dueSql.priorityBelow).pluck()
  const due = db.prepare<{ priority: number; now: number; count: number }, DueRow>(dueSql.due)
  const next = db.prepare<[number], number>(dueSql.next).pluck()

  return {
    due(now, count) {
      const rows: DueRow[] = []
      let priority = priorityBelow.get(Number.POSITIVE_INFINITY)
      while (priority !== undefined && rows.length < count) {
        for (const row of due.all({ priority, now, count: count - rows.length })) rows.push(row)
        if (rows.length < count) priority = priorityBelow.get(priority)
      }
      return rows
    },
    nextRunAt() {
      let earliest: number | null = null
      let priority = priorityBelow.get(Number.POSITIVE_INFINITY)
      while (priority !== undefined) {
        const runAt = next.get(priority)
        if (runAt !== undefined && (earliest === null || runAt < earliest)) earliest = runAt
        priority = priorityBelow.get(priority)
      }
      return earliest
    },
  }
}
