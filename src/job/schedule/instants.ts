/**
 * The instants of a schedule, as a pure function of the schedule and of the instant before, never of when somebody looks.
 *
 * Daylight saving (invariant `dst-policy`): a time of day that does not exist fires at the first moment after the gap; one that
 * exists twice fires the first time only. A pattern with a wildcard or a step in its time of day follows the clock on
 * the wall instead: it skips what does not exist and fires in both of two equal hours.
 */
import { createHash } from 'node:crypto'
import { Cron } from 'croner'
import type { ScheduleSpec } from './spec.ts'

const patternsMax = 1_000
const patterns = new Map<string, Cron>()

/** The parsed form of a pattern; what croner throws is for people to read. */
export function parseCron(cron: string, timeZone: string): Cron {
  const key = `${timeZone} ${cron}`
  const known = patterns.get(key)
  if (known !== undefined) return known
  const parsed = new Cron(cron, { timezone: timeZone, fixedTimeRule: 'no-wildcard', paused: true })
  if (patterns.size >= patternsMax) patterns.clear()
  patterns.set(key, parsed)
  return parsed
}

/** When a schedule fires. The fields that do not matter to that are left out. */
export type Timing = Pick<ScheduleSpec, 'cron' | 'timeZone' | 'everyMs' | 'startAt' | 'until'>

/**
 * The first instant after `after`, or null where there is none.
 *
 * @example
 * ```ts
 * nextInstant({ cron: '30 2 * * *', timeZone: 'Europe/Berlin', everyMs: null, startAt: null, until: null }, after)
 * ```
 */
export function nextInstant({ cron, timeZone, everyMs, startAt, until }: Timing, after: number): number | null {
  const from = startAt === null ? after : Math.max(after, startAt - 1)
  const next =
    everyMs !== null
      ? nextOfInterval(everyMs, startAt ?? 0, from)
      : (parseCron(cron ?? '', timeZone)
          .nextRun(new Date(from))
          ?.getTime() ?? null)
  return next === null || (until !== null && next > until) ? null : next
}

function nextOfInterval(everyMs: number, anchor: number, after: number): number {
  return anchor + (Math.floor((after - anchor) / everyMs) + 1) * everyMs
}

/** The instants of a stretch of time, oldest first. */
export interface Instants {
  readonly first: number
  readonly latest: readonly number[]
  /** How many there are in all; null where that is more than could be counted. */
  readonly count: number | null
}

/** So many are counted one by one. */
const countMax = 200

/**
 * The latest `max` instants after `after` and up to `to`, or null where there is none. The stretch may be years of seconds: it
 * is searched by halves and not walked.
 */
export function latestInstants(timing: Timing, after: number, to: number, max: number): Instants | null {
  const walked = walk(timing, after, to, Math.max(max, countMax))
  const [first] = walked.instants
  if (first === undefined) return null
  if (walked.isWhole) return { first, latest: walked.instants.slice(-max), count: walked.instants.length }
  return { first, latest: latestOfMany(timing, first, to, max), count: null }
}

interface Walk {
  readonly instants: readonly number[]
  /** False where it ended for want of patience. */
  readonly isWhole: boolean
}

function walk(timing: Timing, after: number, to: number, max: number): Walk {
  const instants: number[] = []
  let next = nextInstant(timing, after)
  while (next !== null && next <= to) {
    if (instants.length === max) return { instants, isWhole: false }
    instants.push(next)
    next = nextInstant(timing, next)
  }
  return { instants, isWhole: true }
}

/** The finest grain of all patterns. */
const secondMs = 1_000

function latestOfMany(timing: Timing, first: number, to: number, max: number): readonly number[] {
  const last = lastInstant(timing, first, to)
  let [tooShort, span] = [0, secondMs]
  let tooLong: number | null = null
  for (;;) {
    const found = walk(timing, Math.max(last - span, first), last, max * 4)
    if (found.isWhole && found.instants.length >= max) return found.instants.slice(-max)
    if (found.isWhole) tooShort = span
    else tooLong = span
    span = tooLong === null ? span * 2 : (tooShort + tooLong) / 2
  }
}

/** The last instant up to `to`, where `first` is one. */
function lastInstant(timing: Timing, first: number, to: number): number {
  let [last, none] = [first, to]
  while (none > last) {
    const middle = Math.floor((last + none) / 2)
    const next = nextInstant(timing, middle)
    if (next !== null && next <= to) last = next
    else none = middle
  }
  return last
}

/** When the job of a tick is due: the same for whoever asks, so that it does not matter who fires it. */
export function dueTime(name: string, instant: number, jitterMs: number): number {
  if (jitterMs === 0) return instant
  const part = createHash('sha256').update(`${instant} ${name}`).digest().readUInt32BE(0) / 2 ** 32
  return instant + Math.floor(part * jitterMs)
}
