/** How users write schedules, and what is checked of them. */
import { type Duration, durationMs } from '../../duration.ts'
import { optionInvalid } from '../../errors.ts'
import { type KnownOptions, refuseUnknownOptions } from '../known-options.ts'
import { encodePayload, type StoredPayload } from '../payload.ts'
import { nextInstant, parseCron } from './instants.ts'
import type { CatchUp, Overlap, ScheduleBreaker, ScheduleSpec } from './spec.ts'

const everyMinMs = 1_000
const jitterMaxMs = 24 * 60 * 60_000
const catchUpMax = 100
const skipMaxDefault = 64
const nameLengthMax = 200
const priorityMax = 1_000_000
const queueDefault = 'default'
const overlaps: readonly unknown[] = ['skip', 'allow', 'queue', 'cancel-running'] satisfies Overlap[]

/** When a schedule fires, and how: either `cron` or `every`. */
export interface ScheduleTiming {
  /**
   * Five fields (minute, hour, day of month, month, day of week), or six with seconds first, or a nickname such as `'@daily'`.
   * Where both days are given either will do. A time of day that a change of clocks leaves out fires right after the gap; one
   * that comes twice fires once. Patterns with `*` or a step in the time of day follow the clock on the wall instead.
   */
  readonly cron?: string
  /** An interval from 1 s, counted from `startAt`, else from the Unix epoch: `'15m'` is at 0, 15, 30 and 45 past (UTC). */
  readonly every?: Duration
  /** The IANA time zone of `cron`, such as `'Europe/Berlin'`; default `'UTC'`. */
  readonly timeZone?: string
  /** No tick before it. */
  readonly startAt?: Date | number
  /** No tick after it. */
  readonly until?: Date | number
  /** Spreads schedules out: each tick's job is due up to this much later, by the same part whoever fires it. Up to a day; default 0. */
  readonly jitter?: Duration
  /** What becomes of a tick while a job of the schedule is not over; default `'skip'`. */
  readonly overlap?: Overlap
  /** What becomes of ticks that nobody fired within 30 s; default `'last'`. With `all`, `max` is up to 100, and 100 by default. */
  readonly catchUp?: 'skip' | 'last' | { readonly all: true; readonly max?: number }
  /** After so many failed ticks in a row 1, 2, 4… ticks are skipped, up to `skipMax` (64), with one let through in between. */
  readonly breaker?: { readonly failures: number; readonly skipMax?: number }
}

/** The jobs that a schedule makes. */
export interface ScheduledJobOptions {
  /** The queue of its jobs; default `'default'`. */
  readonly queue?: string
  /** The priority of its jobs; default 0. */
  readonly priority?: number
}

/** A schedule that is ready to be stored: plain data. */
export interface NewSchedule {
  readonly name: string
  readonly kind: string
  readonly spec: ScheduleSpec
  readonly input: StoredPayload
  readonly queue: string
  readonly priority: number
}

/** A schedule as it is written, its input not typed. */
export interface ScheduleOptions extends ScheduleTiming, ScheduledJobOptions {
  readonly input?: unknown
}

const known: KnownOptions<ScheduleOptions> = {
  ...{ cron: true, every: true, timeZone: true, startAt: true, until: true, jitter: true, overlap: true, catchUp: true },
  ...{ breaker: true, queue: true, priority: true, input: true },
}

/**
 * Checks a schedule; `option` is what it is called in the error.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted; `REEVE_PAYLOAD_…` for its input.
 */
export function newScheduleOf(
  subject: { readonly name: string; readonly kind: string; readonly bytesMax?: number },
  options: ScheduleOptions,
  option: string,
): NewSchedule {
  const { name, kind, bytesMax } = subject
  if (typeof name !== 'string' || name === '' || name.length > nameLengthMax)
    throw optionInvalid(`${option}.name`, name, `a name of 1 to ${nameLengthMax} characters`)
  if (typeof options !== 'object' || options === null)
    throw optionInvalid(option, options, "an object with cron or every, such as { cron: '0 3 * * *' }")
  refuseUnknownOptions(options, known, `${option}.`)
  const { queue = queueDefault, priority = 0 } = options
  if (typeof queue !== 'string' || queue === '' || queue.length > nameLengthMax)
    throw optionInvalid(`${option}.queue`, queue, `a name of 1 to ${nameLengthMax} characters`)
  if (!Number.isInteger(priority) || Math.abs(priority) > priorityMax)
    throw optionInvalid(`${option}.priority`, priority, `a whole number from -${priorityMax} to ${priorityMax}`)
  return { name, kind, spec: specOf(options, option), input: encodePayload(options.input, bytesMax), queue, priority }
}

function specOf(options: ScheduleTiming, option: string): ScheduleSpec {
  const { cron, every, overlap = 'skip', breaker } = options
  if ((cron === undefined) === (every === undefined))
    throw optionInvalid(option, options, 'either `cron` or `every`, and not both')
  if (!overlaps.includes(overlap))
    throw optionInvalid(`${option}.overlap`, overlap, overlaps.map((word) => `'${word}'`).join(', '))
  const startAt = timeOf(options.startAt, `${option}.startAt`)
  const until = timeOf(options.until, `${option}.until`)
  if (startAt !== null && until !== null && until < startAt)
    throw optionInvalid(`${option}.until`, options.until, 'a time not before `startAt`')
  const jitterMs = durationMs(options.jitter ?? 0, `${option}.jitter`)
  if (jitterMs > jitterMaxMs) throw optionInvalid(`${option}.jitter`, options.jitter, 'a duration up to a day')
  const timeZone = timeZoneOf(options.timeZone ?? 'UTC', `${option}.timeZone`)
  return {
    cron: cron === undefined ? null : cronOf(cron, timeZone, `${option}.cron`),
    timeZone,
    everyMs: every === undefined ? null : intervalOf(every, `${option}.every`),
    startAt,
    until,
    jitterMs,
    overlap,
    catchUp: catchUpOf(options.catchUp ?? 'last', `${option}.catchUp`),
    breaker: breaker === undefined ? null : breakerOf(breaker, `${option}.breaker`),
  }
}

/** A pattern that parses may still be one that no day fits, such as 30 February. */
function cronOf(cron: string, timeZone: string, option: string): string {
  const accepted = "a cron pattern of five fields, or six with seconds first, such as '30 2 * * *'"
  if (typeof cron !== 'string' || cron.trim().split(/\s+/).length > 6) throw optionInvalid(option, cron, accepted)
  try {
    parseCron(cron, timeZone)
  } catch (cause) {
    throw optionInvalid(option, cron, `${accepted} (${(cause as Error).message})`)
  }
  if (nextInstant({ cron, timeZone, everyMs: null, startAt: null, until: null }, 0) === null)
    throw optionInvalid(option, cron, 'a pattern that some day fits; this one never fires')
  return cron
}

function timeZoneOf(timeZone: string, option: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return timeZone
  } catch {
    throw optionInvalid(option, timeZone, "the name of an IANA time zone, such as 'Europe/Berlin'")
  }
}

function intervalOf(every: Duration, option: string): number {
  const everyMs = durationMs(every, option)
  if (everyMs >= everyMinMs && Number.isInteger(everyMs)) return everyMs
  throw optionInvalid(option, every, 'a duration of whole milliseconds, from 1 s')
}

function timeOf(time: Date | number | undefined, option: string): number | null {
  if (time === undefined) return null
  const at = time instanceof Date ? time.getTime() : time
  if (typeof at === 'number' && Number.isFinite(at) && Math.abs(at) <= 8.64e15) return Math.round(at)
  throw optionInvalid(option, String(time), 'a valid Date, or milliseconds since the Unix epoch')
}

function catchUpOf(catchUp: NonNullable<ScheduleTiming['catchUp']>, option: string): CatchUp {
  if (catchUp === 'skip' || catchUp === 'last') return catchUp
  const accepted = `'skip', 'last', or { all: true, max } with max from 1 to ${catchUpMax}`
  if (typeof catchUp !== 'object' || catchUp === null || catchUp.all !== true) throw optionInvalid(option, catchUp, accepted)
  const { max = catchUpMax } = catchUp
  if (Number.isInteger(max) && max >= 1 && max <= catchUpMax) return { all: true, max }
  throw optionInvalid(`${option}.max`, max, accepted)
}

function breakerOf(breaker: NonNullable<ScheduleTiming['breaker']>, option: string): ScheduleBreaker {
  if (typeof breaker !== 'object' || breaker === null) throw optionInvalid(option, breaker, 'an object with failures, skipMax')
  const { failures, skipMax = skipMaxDefault } = breaker
  return { failures: countOf(failures, `${option}.failures`), skipMax: countOf(skipMax, `${option}.skipMax`) }
}

function countOf(value: unknown, option: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 1_000) return value
  throw optionInvalid(option, value, 'a whole number from 1 to 1000')
}
