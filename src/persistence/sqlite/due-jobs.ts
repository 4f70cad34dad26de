/**
 * Which jobs are due, in claim order, found by index seeks alone. The index of ready jobs is by priority first, so a walk
 * along it would cross every scheduled job of a high priority; instead each priority is one range on `run_at`, and
 * the next lower priority is one seek.
 */
import type { Database } from 'better-sqlite3'
import { inputColumn, type JobColumns } from './job-columns.ts'

/** The columns that a claim hands out. */
export const claimColumns = `seq, id, token, kind, queue, priority, attempt, attempts_max, timeout_ms, backoff, created_at, run_at, ${inputColumn}`

/** A ready row, as far as a claim needs it. */
export type DueRow = Pick<
  JobColumns,
  | 'seq'
  | 'id'
  | 'token'
  | 'kind'
  | 'queue'
  | 'priority'
  | 'input'
  | 'attempt'
  | 'attempts_max'
  | 'timeout_ms'
  | 'backoff'
  | 'created_at'
  | 'run_at'
>

/** `INDEXED BY` makes the plan a promise: statistics cannot talk SQLite into another one, and a lost index is an error. */
const ready = `FROM reeve_jobs INDEXED BY reeve_jobs_ready WHERE state = 'ready'`

/** The statements, exported so that a test can hold their plans against the promise above. `queues` is a JSON list. */
export const dueSql = {
  priorityBelow: `SELECT priority ${ready} AND priority < ? ORDER BY priority DESC LIMIT 1`,
  due: `SELECT ${claimColumns} ${ready} AND priority = @priority AND run_at <= @now AND @queues IS NULL
    ORDER BY run_at, seq LIMIT @count`,
  dueInQueues: `SELECT ${claimColumns} ${ready} AND priority = @priority AND run_at <= @now
    AND queue IN (SELECT value FROM json_each(@queues)) ORDER BY run_at, seq LIMIT @count`,
  next: `SELECT run_at ${ready} AND priority = @priority AND @queues IS NULL ORDER BY run_at LIMIT 1`,
  nextInQueues: `SELECT run_at ${ready} AND priority = @priority
    AND queue IN (SELECT value FROM json_each(@queues)) ORDER BY run_at LIMIT 1`,
} as const

interface DueParameters {
  readonly priority: number
  readonly queues: string | null
}

/** Looks at ready jobs. `queues` is null for all. */
export interface DueJobs {
  /** Up to `count` jobs with `runAt <= now`: by priority (highest first), then due time, then insertion. */
  due(now: number, queues: readonly string[] | null, count: number): DueRow[]
  /** The earliest `runAt` of all ready jobs, or null. Costs one seek for each distinct priority. */
  nextRunAt(queues: readonly string[] | null): number | null
}

/** Prepares the look for a connection. */
export function prepareDueJobs(db: Database): DueJobs {
  const priorityBelow = db.prepare<[number], number>(dueSql.priorityBelow).pluck()
  const due = db.prepare<DueParameters & { now: number; count: number }, DueRow>(dueSql.due)
  const dueInQueues = db.prepare<DueParameters & { now: number; count: number }, DueRow>(dueSql.dueInQueues)
  const next = db.prepare<DueParameters, number>(dueSql.next).pluck()
  const nextInQueues = db.prepare<DueParameters, number>(dueSql.nextInQueues).pluck()

  return {
    due(now, queues, count) {
      const statement = queues === null ? due : dueInQueues
      const list = queues === null ? null : JSON.stringify(queues)
      const rows: DueRow[] = []
      let priority = priorityBelow.get(Number.POSITIVE_INFINITY)
      while (priority !== undefined && rows.length < count) {
        for (const row of statement.all({ priority, now, queues: list, count: count - rows.length })) rows.push(row)
        if (rows.length < count) priority = priorityBelow.get(priority)
      }
      return rows
    },
    nextRunAt(queues) {
      const statement = queues === null ? next : nextInQueues
      const list = queues === null ? null : JSON.stringify(queues)
      let earliest: number | null = null
      let priority = priorityBelow.get(Number.POSITIVE_INFINITY)
      while (priority !== undefined) {
        const runAt = statement.get({ priority, queues: list })
        if (runAt !== undefined && (earliest === null || runAt < earliest)) earliest = runAt
        priority = priorityBelow.get(priority)
      }
      return earliest
    },
  }
}
