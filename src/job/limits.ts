/** Limits of how many jobs run at once, and of how many begin in a time: what people write, and what is kept of it. Pure. */
import { type Duration, durationMs } from '../duration.ts'
import { optionInvalid } from '../errors.ts'
import { isLockName, lockNameLengthMax } from './lock.ts'

/** Whom a limit counts: the jobs of this runtime, or those of all processes on the file. */
export type LimitReach = 'local' | 'global'

/** How many at once: over all processes on the file, unless `reach` is `'local'`. */
export type Concurrency = number | { readonly limit: number; readonly reach?: LimitReach }

/** How many jobs may begin in a time. */
export interface RateLimit {
  /** So many jobs, from 1, … */
  readonly limit: number
  /** … begin within any stretch of this length. */
  readonly per: Duration
  /** `'smooth'` (default) spreads them evenly; `'burst'` lets all of them begin at once, and then none until the time is over. */
  readonly mode?: 'smooth' | 'burst'
}

/** The limits that a kind and a queue may have. */
export interface LimitOptions {
  /** How many of its jobs run at once; default any number. */
  readonly concurrency?: Concurrency
  /** How many of one group run at once, over all processes; 1 runs a group's jobs one after another. Default any number. */
  readonly groupConcurrency?: number
  /** How many of its jobs may begin in a time, over all processes. */
  readonly rateLimit?: RateLimit
  /** The same for each group. */
  readonly groupRateLimit?: RateLimit
}

/** A rate as it is kept: the next job may begin once the one `slots` before it is `windowMs` old. */
export interface Ring {
  readonly slots: number
  readonly windowMs: number
}

/** A number of jobs at once, and whom it counts. */
export interface Capacity {
  readonly limit: number
  readonly reach: LimitReach
}

/** {@link LimitOptions} as plain data; what is not limited is left out. */
export interface LimitSettings {
  readonly concurrency?: Capacity
  readonly groupConcurrency?: number
  readonly rate?: Ring
  readonly groupRate?: Ring
}

/** The limits of a kind: with the resource that each of its running jobs takes one of. */
export interface KindLimits extends LimitSettings {
  readonly resource?: string
  /** The locks that each of its running jobs holds, sorted. */
  readonly exclusive?: readonly string[]
}

const exclusiveMax = 20
const nameLengthMax = 200
const limitMax = 1_000_000
const slotsMax = 100_000
const windowMaxMs = 366 * 24 * 60 * 60_000
/** Times are kept in whole milliseconds: the rounding may cost a smooth rate so much of itself. */
const smoothLossMax = 0.01

/** Of one runtime's own jobs of these kinds, in this queue (null for all), no more than `limit` run at once. */
export interface LocalLimit {
  readonly kinds: readonly string[] | null
  readonly queue: string | null
  readonly limit: number
}

/**
 * Checks the limits of a kind or a queue; `option` is what they belong to in the error.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function limitSettings(options: LimitOptions, option: string): LimitSettings {
  const { concurrency, groupConcurrency, rateLimit, groupRateLimit } = options
  return {
    ...(concurrency !== undefined && { concurrency: capacityOf(concurrency, `${option}.concurrency`, 'limit') }),
    ...(groupConcurrency !== undefined && {
      groupConcurrency: wholeFrom1(groupConcurrency, `${option}.groupConcurrency`, limitMax),
    }),
    ...(rateLimit !== undefined && { rate: ringOf(rateLimit, `${option}.rateLimit`) }),
    ...(groupRateLimit !== undefined && { groupRate: ringOf(groupRateLimit, `${option}.groupRateLimit`) }),
  }
}

/**
 * Checks the limits of a kind; nothing where it has none.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the kind and the option.
 */
export function kindLimits(
  options: LimitOptions & { readonly resource?: string; readonly exclusive?: readonly string[] },
  kind: string,
): { readonly limits?: KindLimits } {
  const { resource, exclusive } = options
  if (resource !== undefined && (typeof resource !== 'string' || resource === '' || resource.length > nameLengthMax))
    throw optionInvalid(`${kind}.resource`, resource, `the name of a resource, 1 to ${nameLengthMax} characters`)
  const limits = { ...limitSettings(options, kind), ...(resource !== undefined && { resource }), ...exclusiveOf(exclusive, kind) }
  return Object.keys(limits).length === 0 ? {} : { limits }
}

function exclusiveOf(exclusive: unknown, kind: string): { readonly exclusive?: readonly string[] } {
  if (exclusive === undefined) return {}
  const isList =
    Array.isArray(exclusive) && exclusive.length >= 1 && exclusive.length <= exclusiveMax && exclusive.every(isLockName)
  if (isList && new Set(exclusive).size === exclusive.length) return { exclusive: exclusive.toSorted() as string[] }
  throw optionInvalid(
    `${kind}.exclusive`,
    exclusive,
    `a list of 1 to ${exclusiveMax} names of locks, each once and of 1 to ${lockNameLengthMax} characters`,
  )
}

/**
 * Reads a number of jobs at once; `field` is what the number is called in the long form.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function capacityOf(value: unknown, option: string, field: 'limit' | 'capacity'): Capacity {
  if (typeof value === 'number') return { limit: wholeFrom1(value, option, limitMax), reach: 'global' }
  const isObject = typeof value === 'object' && value !== null
  if (!isObject || Object.keys(value).some((name) => name !== field && name !== 'reach'))
    throw optionInvalid(option, value, `a whole number from 1, or { ${field}, reach }`)
  const { reach = 'global', [field]: limit } = value as { readonly reach?: unknown; readonly [field: string]: unknown }
  if (reach !== 'local' && reach !== 'global') throw optionInvalid(`${option}.reach`, reach, "'local' or 'global'")
  return { limit: wholeFrom1(limit, `${option}.${field}`, limitMax), reach }
}

/**
 * What is kept of a rate. A smooth one has as few slots as lose next to nothing to the rounding of its window up to whole
 * milliseconds: 3 in a second are one in 334 ms, 700 in a second are 7 in 10 ms.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function ringOf(rate: unknown, option: string): Ring {
  const isObject = typeof rate === 'object' && rate !== null
  if (!isObject || Object.keys(rate).some((name) => !['limit', 'per', 'mode'].includes(name)))
    throw optionInvalid(option, rate, 'an object with limit, per and mode')
  const { limit, per, mode = 'smooth' } = rate as { readonly [field: string]: unknown }
  const jobs = wholeFrom1(limit, `${option}.limit`, slotsMax)
  const windowMs = durationMs(per, `${option}.per`)
  if (windowMs < 1 || windowMs > windowMaxMs) throw optionInvalid(`${option}.per`, per, 'a duration from 1 ms to 366 days')
  if (mode === 'burst') return { slots: jobs, windowMs: Math.ceil(windowMs) }
  if (mode !== 'smooth') throw optionInvalid(`${option}.mode`, mode, "'smooth' or 'burst'")
  let slots = 1
  const lossOf = (exactMs: number) => Math.ceil(exactMs) / exactMs - 1
  while (slots < jobs && lossOf((slots * windowMs) / jobs) > smoothLossMax) slots++
  return { slots, windowMs: Math.ceil((slots * windowMs) / jobs) }
}

function wholeFrom1(value: unknown, option: string, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value
  throw optionInvalid(option, value, `a whole number from 1 to ${most}`)
}
