/**
 * Which jobs are due, in claim order, found by index seeks alone. The index of ready jobs is by priority first, so a walk
 * along it would cross every scheduled job of a high priority; instead each priority is one range on `run_at`, and
 * the next lower priority is one seek.
 */
import type { Database } from 'better-sqlite3'
import type { ClaimCommand } from '../commands/claim.ts'
import { inputColumn, type JobColumns } from './job-columns.ts'

/** The columns that a claim hands out. */
export const claimColumns = `seq, id, token, kind, queue, grp, priority, attempt, attempts_max, timeout_ms, backoff, created_at, run_at, suspect, schedule, scheduled_at, next_tick_at, catch_up, ${inputColumn}`

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
>

/**
 * The two kinds of ready jobs, each with an index of its own, whose WHERE must stand here word for word. `INDEXED BY` makes the
 * plan a promise: statistics cannot talk SQLite into another one, and a lost index is an error.
 */
const ready = {
  unsuspected: `FROM reeve_jobs INDEXED BY reeve_jobs_ready WHERE state = 'ready' AND suspect = 0 AND grp IS NULL`,
  suspects: `FROM reeve_jobs INDEXED BY reeve_jobs_suspects WHERE state = 'ready' AND suspect = 1`,
} as const

/** The statements, exported so that a test can hold their plans against the promise above. The queues are JSON lists. */
export const dueSql = { unsuspected: statementsOn(ready.unsuspected), suspects: statementsOn(ready.suspects) } as const

function statementsOn(jobs: string) {
  const inQueues =
    '(@queues IS NULL OR queue IN (SELECT value FROM json_each(@queues))) AND queue NOT IN (SELECT value FROM json_each(@excluded))'
  const due = `SELECT ${claimColumns} ${jobs} AND priority = @priority AND run_at <= @now`
  const next = `SELECT run_at ${jobs} AND priority = @priority`
  return {
    priorityBelow: `SELECT priority ${jobs} AND priority < ? ORDER BY priority DESC LIMIT 1`,
    due: `${due} ORDER BY run_at, seq LIMIT @count`,
    dueInQueues: `${due} AND ${inQueues} ORDER BY run_at, seq LIMIT @count`,
    next: `${next} ORDER BY run_at LIMIT 1`,
    nextInQueues: `${next} AND ${inQueues} ORDER BY run_at LIMIT 1`,
  }
}

interface DueParameters {
  readonly priority: number
  readonly queues: string | null
  readonly excluded: string
}

/** Which queues to look at. */
export type QueueScope = Pick<ClaimCommand, 'queues' | 'queuesExcluded'>

/** Looks at one of the two kinds of ready jobs. */
export interface DueJobs {
  /** Up to `count` jobs with `runAt <= now`: by priority (highest first), then due time, then insertion. */
  due(now: number, scope: QueueScope, count: number): DueRow[]
  /** The earliest `runAt` of all these jobs, or null. Costs one seek for each distinct priority. */
  nextRunAt(scope: QueueScope): number | null
}

/** Prepares the look at the jobs of one kind for a connection. */
export function prepareDueJobs(db: Database, kind: keyof typeof dueSql): DueJobs {
  const sql = dueSql[kind]
  const priorityBelow = db.prepare<[number], number>(sql.priorityBelow).pluck()
  const due = db.prepare<DueParameters & { now: number; count: number }, DueRow>(sql.due)
  const dueInQueues = db.prepare<DueParameters & { now: number; count: number }, DueRow>(sql.dueInQueues)
  const next = db.prepare<DueParameters, number>(sql.next).pluck()
  const nextInQueues = db.prepare<DueParameters, number>(sql.nextInQueues).pluck()

  return {
    due(now, scope, count) {
      const statement = isWhole(scope) ? due : dueInQueues
      const lists = listsOf(scope)
      const rows: DueRow[] = []
      let priority = priorityBelow.get(Number.POSITIVE_INFINITY)
      while (priority !== undefined && rows.length < count) {
        for (const row of statement.all({ ...lists, priority, now, count: count - rows.length })) rows.push(row)
        if (rows.length < count) priority = priorityBelow.get(priority)
      }
      return rows
    },
    nextRunAt(scope) {
      const statement = isWhole(scope) ? next : nextInQueues
      const lists = listsOf(scope)
      let earliest: number | null = null
      let priority = priorityBelow.get(Number.POSITIVE_INFINITY)
      while (priority !== undefined) {
        const runAt = statement.get({ ...lists, priority })
        if (runAt !== undefined && (earliest === null || runAt < earliest)) earliest = runAt
        priority = priorityBelow.get(priority)
      }
      return earliest
    },
  }
}

const isWhole = ({ queues, queuesExcluded }: QueueScope): boolean => queues === null && queuesExcluded.length === 0

function listsOf({ queues, queuesExcluded }: QueueScope): Pick<DueParameters, 'queues' | 'excluded'> {
  return { queues: queues === null ? null : JSON.stringify(queues), excluded: JSON.stringify(queuesExcluded) }
}
