/**
 * Which (queue, kind) pairs have ready jobs, with or without a group, and what is first in each: by seeks alone. Of
 * `(queue, kind) > (…)` SQLite makes a walk over all jobs of the pair before, so it takes two statements.
 */
import type { Database } from 'better-sqlite3'
import { claimColumns, type DueRow } from '../due-jobs.ts'
import { never } from './gates.ts'
import type { Pair } from './held.ts'

const plain = "FROM reeve_jobs INDEXED BY reeve_jobs_ready_by_kind WHERE state = 'ready' AND suspect = 0 AND grp IS NULL"
const lanes = 'FROM reeve_lanes INDEXED BY reeve_lanes_due WHERE due IS NOT NULL'
const ofPair = 'AND queue = +@queue AND kind = +@kind'
const inLane =
  "FROM reeve_jobs INDEXED BY reeve_jobs_ready_in_lane WHERE state = 'ready' AND suspect = 0 AND lane IS NOT NULL AND lane = +@lane"

/** A list that the claimer itself keeps: it is as short as what it runs. */
const butGroups = 'AND grp NOT IN (SELECT value FROM json_each(@but))'

/** The statements, for a test of their plans. */
export const pairSql = {
  nextQueue: seeks((of) => `SELECT queue ${of} AND queue > +? ORDER BY queue LIMIT 1`),
  nextKind: seeks((of) => `SELECT kind ${of} AND queue = +? AND kind > +? ORDER BY kind LIMIT 1`),
  priorityBelow: seeks((of) => `SELECT priority ${of} ${ofPair} AND priority < +@below ORDER BY priority DESC LIMIT 1`),
  firstJob: `SELECT ${claimColumns} ${plain} ${ofPair} AND priority = +@priority AND run_at <= +@now ORDER BY run_at, seq LIMIT 1`,
  firstRunAt: `SELECT run_at ${plain} ${ofPair} AND priority = +@priority ORDER BY run_at LIMIT 1`,
  // A lane that was served late in this millisecond is due within it, but not one whose head or block ends in it.
  firstLane: openLane(''),
  firstLaneBut: openLane(butGroups),
  // Where none may be taken: those that had their turn, but are not due again before a clock that was set back has come so far; …
  firstHead: headOfLanes(''),
  firstHeadBut: headOfLanes(butGroups),
  // … and all others.
  firstDue: `SELECT due ${lanes} ${ofPair} AND priority = +@priority AND due > +@horizon ORDER BY due LIMIT 1`,
  firstInLane: `SELECT ${claimColumns} ${inLane} AND run_at <= +@now ORDER BY run_at, seq LIMIT 1`,
  close: 'UPDATE reeve_lanes SET closed = 1 WHERE id = @lane',
  block: 'UPDATE reeve_lanes SET blocked_until = @until WHERE id = @lane',
  // With the new head of the lane that was taken from: one write where the trigger would make a second one.
  serve: `UPDATE reeve_lanes SET served = @served, head = iif(id <> @lane, head,
      (SELECT run_at ${inLane} ORDER BY run_at LIMIT 1))
    WHERE queue = @queue AND grp = @grp AND priority = @priority`,
  anyClosed: 'SELECT EXISTS (SELECT 1 FROM reeve_lanes INDEXED BY reeve_lanes_closed WHERE closed = 1)',
} as const

function openLane(but: string): string {
  return `SELECT id, due, head ${lanes} ${ofPair} AND priority = +@priority AND due <= +@horizon
    AND head <= +@now AND blocked_until <= +@now ${but} ORDER BY due, head LIMIT 1`
}

function headOfLanes(but: string): string {
  return `SELECT min(max(head, blocked_until)) ${lanes} ${ofPair} AND priority = +@priority AND due <= +@horizon ${but}`
}

function seeks(on: (of: string) => string) {
  return { plain: on(plain), lanes: on(lanes) } as const
}

/** Of jobs without a group, or of lanes. */
export type Side = 'plain' | 'lanes'

/** The first lane of a pair that is due, with its first job. */
export interface DueLane {
  readonly id: number
  readonly due: number
  readonly job: DueRow
}

/** When a lane is looked for: what is due by `horizon`, and not blocked at `now`. */
export interface Moment {
  readonly now: number
  readonly horizon: number
}

/** Looks into one pair. */
export interface Pairs {
  /** All pairs that have ready jobs on this side, of these queues only where they are given. */
  list(side: Side, queues: readonly string[] | null): Pair[]
  priorityBelow(side: Side, pair: Pair, below: number): number | undefined
  firstJob(pair: Pair, priority: number, now: number): DueRow | undefined
  firstRunAt(pair: Pair, priority: number): number | undefined
  /** Of a lane of these groups nothing is taken. */
  firstLane(pair: Pair, priority: number, turn: Moment, but: readonly string[]): DueLane | undefined
  /** When the first lane may be taken, where none may be now. */
  firstDue(pair: Pair, priority: number, horizon: number, but: readonly string[]): number
  close(lane: number): void
  block(lane: number, until: number): void
  /** A group has had its turn: the first job of the lane was leased. */
  serve(lane: number, job: DueRow, served: number): void
  anyClosed(): boolean
}

/** Prepares the looks for a connection. */
export function preparePairs(db: Database): Pairs {
  const bySide = <P extends unknown[] | object, R>(sql: { readonly plain: string; readonly lanes: string }) => ({
    plain: db.prepare<P, R>(sql.plain).pluck(),
    lanes: db.prepare<P, R>(sql.lanes).pluck(),
  })
  const nextQueue = bySide<[string], string>(pairSql.nextQueue)
  const nextKind = bySide<[string, string], string>(pairSql.nextKind)
  const priorityBelow = bySide<Pair & { below: number }, number>(pairSql.priorityBelow)
  const firstJob = db.prepare<Pair & { priority: number; now: number }, DueRow>(pairSql.firstJob)
  const firstRunAt = db.prepare<Pair & { priority: number }, number>(pairSql.firstRunAt).pluck()
  type LaneRow = { id: number; due: number }
  const firstLane = db.prepare<Pair & Moment & { priority: number }, LaneRow>(pairSql.firstLane)
  const firstLaneBut = db.prepare<Pair & Moment & { priority: number; but: string }, LaneRow>(pairSql.firstLaneBut)
  const firstHead = db.prepare<Pair & { priority: number; horizon: number }, number | null>(pairSql.firstHead).pluck()
  const firstHeadBut = db
    .prepare<Pair & { priority: number; horizon: number; but: string }, number | null>(pairSql.firstHeadBut)
    .pluck()
  const firstDue = db.prepare<Pair & { priority: number; horizon: number }, number>(pairSql.firstDue).pluck()
  const firstInLane = db.prepare<{ lane: number; now: number }, DueRow>(pairSql.firstInLane)
  const close = db.prepare(pairSql.close)
  const block = db.prepare(pairSql.block)
  const serve = db.prepare(pairSql.serve)
  const anyClosed = db.prepare<[], number>(pairSql.anyClosed).pluck()

  function* queuesOn(side: Side): Generator<string> {
    let queue = nextQueue[side].get('')
    while (queue !== undefined) {
      yield queue
      queue = nextQueue[side].get(queue)
    }
  }
  function* kindsOn(side: Side, queue: string): Generator<Pair> {
    let kind = nextKind[side].get(queue, '')
    while (kind !== undefined) {
      yield { queue, kind }
      kind = nextKind[side].get(queue, kind)
    }
  }
  return {
    list: (side, queues) => [...(queues ?? queuesOn(side))].flatMap((queue) => [...kindsOn(side, queue)]),
    priorityBelow: (side, { queue, kind }, below) => priorityBelow[side].get({ queue, kind, below }),
    firstJob: ({ queue, kind }, priority, now) => firstJob.get({ queue, kind, priority, now }),
    firstRunAt: ({ queue, kind }, priority) => firstRunAt.get({ queue, kind, priority }),
    firstLane({ queue, kind }, priority, { now, horizon }, but) {
      const asked = { queue, kind, priority, now, horizon }
      const lane = but.length === 0 ? firstLane.get(asked) : firstLaneBut.get({ ...asked, but: JSON.stringify(but) })
      const job = lane === undefined ? undefined : firstInLane.get({ lane: lane.id, now })
      return lane === undefined || job === undefined ? undefined : { ...lane, job }
    },
    firstDue({ queue, kind }, priority, horizon, but) {
      const range = { queue, kind, priority, horizon }
      const head = but.length === 0 ? firstHead.get(range) : firstHeadBut.get({ ...range, but: JSON.stringify(but) })
      return Math.min(head ?? never, firstDue.get(range) ?? never)
    },
    close: (lane) => void close.run({ lane }),
    block: (lane, until) => void block.run({ lane, until }),
    serve: (lane, { queue, grp, priority }, served) => void serve.run({ lane, queue, grp, priority, served }),
    anyClosed: () => anyClosed.get() === 1,
  }
}
