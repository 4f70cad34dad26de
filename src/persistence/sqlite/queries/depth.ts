/**
 * How much waits, and for how long. A count reads what waits, once; how late the oldest due job is takes a seek
 * for each (queue, kind, priority) instead, so that it can be asked every second however long the backlog is.
 */
import type { Database } from 'better-sqlite3'
import type { QueueDepth } from '../../../job/queue-depth.ts'

/** The three kinds of waiting jobs, each with an index whose WHERE must stand here word for word. */
const plain = "state = 'ready' AND suspect = 0 AND grp IS NULL"
const inLane = "state = 'ready' AND suspect = 0 AND lane IS NOT NULL"
const suspect = "state = 'ready' AND suspect = 1"

/** The statements, exported so that a test can hold their plans against the promise above. */
export const depthSql = {
  all: depthOf({ plain: '', inLane: '', suspect: '', running: '' }),
  ofQueue: depthOf({
    plain: 'AND queue = @queue',
    inLane: 'AND lane IN (SELECT id FROM reeve_lanes WHERE queue = @queue)',
    suspect: 'AND queue = @queue',
    running: 'AND queue = @queue',
  }),
  // Two seeks: of `(queue, kind) > (…)` SQLite makes a walk over all jobs of the pair before.
  nextKind: `SELECT queue, kind FROM reeve_jobs WHERE ${plain} AND queue = @queue AND kind > @kind ORDER BY kind LIMIT 1`,
  nextQueue: `SELECT queue, kind FROM reeve_jobs WHERE ${plain} AND queue > @queue ORDER BY queue, kind LIMIT 1`,
  priorityBelow: `SELECT priority FROM reeve_jobs WHERE ${plain} AND queue = @queue AND kind = @kind AND priority < @priority
    ORDER BY priority DESC LIMIT 1`,
  firstRunAt: `SELECT run_at FROM reeve_jobs WHERE ${plain} AND queue = @queue AND kind = @kind AND priority = @priority
    ORDER BY run_at LIMIT 1`,
  firstHead: 'SELECT min(head) FROM reeve_lanes WHERE @queue IS NULL OR queue = @queue',
  firstSuspect: `SELECT min(run_at) FROM reeve_jobs WHERE ${suspect} AND (@queue IS NULL OR queue = @queue)`,
} as const

function depthOf(only: Readonly<Record<'plain' | 'inLane' | 'suspect' | 'running', string>>): string {
  const count = (where: string) =>
    `SELECT count(*) AS jobs, coalesce(sum(run_at <= @now), 0) AS due FROM reeve_jobs WHERE ${where}`
  const ready = [`${plain} ${only.plain}`, `${inLane} ${only.inLane}`, `${suspect} ${only.suspect}`].map(count)
  return `SELECT sum(due) AS due, sum(jobs) - sum(due) AS scheduled,
    (SELECT count(*) FROM reeve_jobs WHERE state = 'running' ${only.running}) AS running
  FROM (${ready.join(' UNION ALL ')})`
}

interface Pair {
  readonly queue: string
  readonly kind: string
}

/** What can be asked about the backlog; `queue` is null for all. */
export interface DepthQueries {
  depth(now: number, queue: string | null): QueueDepth
  oldestDueAt(now: number, queue: string | null): number | null
}

/** Prepares the queries for a connection. */
export function prepareDepth(db: Database): DepthQueries {
  const all = db.prepare<{ now: number }, QueueDepth>(depthSql.all)
  const ofQueue = db.prepare<{ now: number; queue: string }, QueueDepth>(depthSql.ofQueue)
  const nextKind = db.prepare<Pair, Pair>(depthSql.nextKind)
  const nextQueue = db.prepare<{ queue: string }, Pair>(depthSql.nextQueue)
  const priorityBelow = db.prepare<Pair & { priority: number }, number>(depthSql.priorityBelow).pluck()
  const firstRunAt = db.prepare<Pair & { priority: number }, number>(depthSql.firstRunAt).pluck()
  const firstHead = db.prepare<{ queue: string | null }, number | null>(depthSql.firstHead).pluck()
  const firstSuspect = db.prepare<{ queue: string | null }, number | null>(depthSql.firstSuspect).pluck()

  function* runTimes(queue: string | null): Generator<number> {
    for (const first of [firstHead.get({ queue }), firstSuspect.get({ queue })]) if (first != null) yield first
    let pair = queue === null ? nextQueue.get({ queue: '' }) : nextKind.get({ queue, kind: '' })
    while (pair !== undefined) {
      let priority = priorityBelow.get({ ...pair, priority: Number.POSITIVE_INFINITY })
      while (priority !== undefined) {
        yield firstRunAt.get({ ...pair, priority }) ?? Number.POSITIVE_INFINITY
        priority = priorityBelow.get({ ...pair, priority })
      }
      pair = nextKind.get(pair) ?? (queue === null ? nextQueue.get({ queue: pair.queue }) : undefined)
    }
  }
  return {
    depth: (now, queue) => (queue === null ? all.get({ now }) : ofQueue.get({ now, queue })) as QueueDepth,
    oldestDueAt(now, queue) {
      const oldest = [...runTimes(queue)].reduce((first, at) => Math.min(first, at), Number.POSITIVE_INFINITY)
      return oldest <= now ? oldest : null
    },
  }
}
