/** Holds every commit of a run against the invariants of schedules. It knows the rules of instants, and nothing of who fires. */
import type { Database } from 'better-sqlite3'
import { latestInstants, nextInstant } from '../../../src/job/schedule/instants.ts'
import type { ScheduleSpec } from '../../../src/job/schedule/spec.ts'
import type { Rig } from '../../support/sim/rig.ts'

/** A promise that was broken, by the name of its invariant. */
export class Broken extends Error {
  readonly invariant: string

  constructor(invariant: string, details: object) {
    super(`${invariant} is broken: ${JSON.stringify(details)}`)
    this.invariant = invariant
  }
}

interface ScheduleState {
  readonly name: string
  readonly spec: ScheduleSpec
  readonly cursor: number
}
interface TickState {
  readonly id: string
  readonly schedule: string
  readonly state: string
  readonly at: number
  readonly catchUp: 0 | 1
  readonly inTurn: 0 | 1
}
interface SkipState {
  readonly schedule: string
  readonly from: number
  readonly to: number
}

/** What a third party sees of the file. */
export interface Snapshot {
  readonly schedules: readonly ScheduleState[]
  readonly ticks: readonly TickState[]
  readonly skips: readonly SkipState[]
}

/** The judge of one run. */
export class Judge {
  /** What happened, so that a test can tell a check that never ran. */
  readonly reached: Set<string>
  readonly #rig: Rig
  readonly #read: ReturnType<typeof prepareRead>
  /** Where each schedule began. */
  readonly #began = new Map<string, number>()

  constructor(rig: Rig, reached: Set<string>) {
    this.#rig = rig
    this.reached = reached
    this.#read = prepareRead(rig.db)
  }

  snapshot(): Snapshot {
    return this.#read()
  }

  /** After each commit. */
  committed(before: Snapshot, wallMax: number): void {
    const after = this.snapshot()
    for (const { name, cursor } of after.schedules) if (!this.#began.has(name)) this.#began.set(name, cursor)
    for (const schedule of after.schedules) this.#judgeStep(schedule, before, after, wallMax)
    for (const { name, violators } of this.#rig.violators()) if (violators.length > 0) throw new Broken(name, { violators })
  }

  /** When all is at rest and time has gone on: nothing that is due is left. */
  atRest(wall: number): void {
    for (const { name, spec, cursor } of this.snapshot().schedules) {
      const next = nextInstant(spec, cursor)
      if (next !== null && next <= wall)
        throw new Broken('gap-policy', { name, cursor, next, wall, why: 'nobody has decided on it' })
    }
    for (const { name, violators } of this.#rig.violators({ deep: true }))
      if (violators.length > 0) throw new Broken(name, { violators })
  }

  #judgeStep({ name, spec, cursor }: ScheduleState, before: Snapshot, after: Snapshot, wallMax: number): void {
    const was = before.schedules.find((schedule) => schedule.name === name)?.cursor ?? cursor
    const of = <T extends { readonly schedule: string }>(all: readonly T[]) => all.filter(({ schedule }) => schedule === name)
    const made = of(after.ticks).filter(({ id }) => !before.ticks.some((tick) => tick.id === id))
    if (cursor < was || cursor > wallMax) throw new Broken('cursor-grows', { name, was, cursor, wallMax })
    const moved = cursor === was ? null : latestInstants(spec, was, cursor, 100_000)
    const decided = moved?.latest ?? []
    if (cursor !== was && decided.at(-1) !== cursor)
      throw new Broken('cursor-grows', { name, cursor, why: 'no instant of the schedule' })
    for (const tick of made)
      if (!decided.includes(tick.at))
        throw new Broken('fires-once', { name, tick, was, cursor, why: 'it was not decided on now' })
    const skips = of(after.skips)
    for (const at of decided) {
      const isSkipped = skips.some(({ from, to }) => from <= at && at <= to)
      const isMade = of(after.ticks).some((tick) => tick.at === at)
      if (isSkipped === isMade) throw new Broken('gap-policy', { name, at, isSkipped, isMade })
      this.reached.add(isMade ? 'made' : 'skipped')
    }
    this.#judgeRules(name, spec, made, after)
  }

  #judgeRules(name: string, spec: ScheduleSpec, made: readonly TickState[], after: Snapshot): void {
    const catchUps = made.filter(({ catchUp }) => catchUp === 1)
    const max = spec.catchUp === 'skip' ? 0 : spec.catchUp === 'last' ? 1 : spec.catchUp.max
    if (catchUps.length > max) throw new Broken('gap-policy', { name, catchUps, max })
    if (catchUps.length > 0) this.reached.add('caught up')
    const live = after.ticks.filter(({ schedule, state }) => schedule === name && !isOver(state))
    const inTurn = live.filter(({ inTurn }) => inTurn === 1)
    if (inTurn.length > 0) this.reached.add('in turn')
    if (spec.overlap !== 'allow' && live.length - inTurn.length > 1) throw new Broken('overlap', { name, live })
    const waits = inTurn.filter(({ catchUp }) => catchUp === 0)
    if (waits.length > 1) throw new Broken('overlap', { name, waits })
  }
}

const isOver = (state: string) => ['completed', 'cancelled', 'discarded'].includes(state)

function prepareRead(db: Database): () => Snapshot {
  const schedules = db.prepare<[], { name: string; spec: string; cursor: number }>(
    'SELECT name, spec, cursor FROM reeve_schedules',
  )
  const ticks = db.prepare<[], TickState>(`
    SELECT id, schedule, state, scheduled_at AS at, catch_up AS catchUp, in_turn AS inTurn FROM reeve_jobs WHERE scheduled_at IS NOT NULL
  `)
  const skips = db.prepare<[], SkipState>('SELECT schedule, from_at AS "from", to_at AS "to" FROM reeve_schedule_skips')
  return () => ({
    schedules: schedules.all().map((row) => ({ ...row, spec: JSON.parse(row.spec) as ScheduleSpec })),
    ticks: ticks.all(),
    skips: skips.all(),
  })
}
