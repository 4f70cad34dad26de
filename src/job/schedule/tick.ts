/** Which ticks of a schedule are run and which are skipped, when somebody looks at it. Pure. */
import { latestInstants, nextInstant } from './instants.ts'
import type { ScheduleSpec, SkipReason } from './spec.ts'

/** A tick that is looked at later than this was missed: longer than a restart of the supervisor, shorter than a person waits. */
export const lateAfterMs = 30_000

/** One tick that is to be run. */
export interface Tick {
  readonly instant: number
  /** The instant after it, when it was fired; null where there is none. */
  readonly nextAt: number | null
  /** It was missed and is made up for. */
  readonly isCatchUp: boolean
}

/** Ticks that were not run, as one stretch. */
export interface Skip {
  readonly from: number
  readonly to: number
  /** Null where they are too many to count. */
  readonly count: number | null
  readonly reason: SkipReason
}

/** What to do about the ticks that have come due. */
export interface DueTicks {
  /** Oldest first. */
  readonly run: readonly Tick[]
  readonly skipped: Skip | null
  /** The last instant that this decides. */
  readonly cursor: number
  /** The first that it does not. */
  readonly nextAt: number | null
}

/**
 * Decides on every instant after the cursor and up to `now`. With none due nothing is run, and the cursor stays: the next one is
 * counted from the scheduled instant and not from when somebody looked (invariant `cursor-grows`).
 */
export function dueTicks(spec: ScheduleSpec, cursor: number, now: number): DueTicks {
  const max = typeof spec.catchUp === 'string' ? 1 : spec.catchUp.max
  const due = latestInstants(spec, cursor, now, max)
  const last = due?.latest.at(-1)
  if (due === null || last === undefined) return { run: [], skipped: null, cursor, nextAt: nextInstant(spec, cursor) }
  const nextAt = nextInstant(spec, last)
  const isLate = (instant: number) => instant !== last || now - instant > lateAfterMs
  const wanted = due.latest.filter((instant) => spec.catchUp !== 'skip' || !isLate(instant))
  const run = wanted.map((instant, index) => ({ instant, nextAt: wanted[index + 1] ?? nextAt, isCatchUp: isLate(instant) }))
  return { run, skipped: skipOf(spec, due.first, due.count, wanted, last), cursor: last, nextAt }
}

function skipOf(spec: ScheduleSpec, first: number, count: number | null, run: readonly number[], last: number): Skip | null {
  if (count === run.length) return null
  const [oldest] = run
  const to = oldest === undefined ? last : lastBefore(spec, first, oldest)
  return { from: first, to, count: count === null ? null : count - run.length, reason: reasonOf(spec) }
}

function lastBefore(spec: ScheduleSpec, first: number, instant: number): number {
  return latestInstants(spec, first - 1, instant - 1, 1)?.latest[0] ?? first
}

function reasonOf({ catchUp }: ScheduleSpec): SkipReason {
  if (catchUp === 'skip') return 'missed'
  return catchUp === 'last' ? 'coalesced' : 'catch-up-limit'
}
