/** The limits of queues and resources, as options of a runtime. */
import { optionInvalid } from '../errors.ts'
import { type KnownOptions, refuseUnknownOptions } from '../job/known-options.ts'
import {
  type Capacity,
  capacityOf,
  type LimitOptions,
  type LimitReach,
  type LimitSettings,
  limitSettings,
} from '../job/limits.ts'
import { type DepthBound, type DepthOptions, depthBound } from '../job/queue-depth-bound.ts'

/** How many jobs of the kinds that name a resource run at once: over all processes on the file, unless `reach` is `'local'`. */
export type ResourceCapacity = number | { readonly capacity: number; readonly reach?: LimitReach }

/** What may be said of a queue: how many of its jobs run, and how many wait. */
export interface QueueLimitOptions extends LimitOptions, DepthOptions {}

const known: KnownOptions<QueueLimitOptions> = {
  concurrency: true,
  groupConcurrency: true,
  rateLimit: true,
  groupRateLimit: true,
  maxDepth: true,
  whenFull: true,
}

/**
 * Checks the limits of queues, by name.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function queueLimitsOf(value: unknown): Readonly<Record<string, LimitSettings>> {
  return byName(value, 'queueLimits', 'queues', (limits, option) => {
    const accepted = `an object with ${Object.keys(known).join(', ')}`
    if (typeof limits !== 'object' || limits === null) throw optionInvalid(option, limits, accepted)
    refuseUnknownOptions<QueueLimitOptions>(limits, known, `${option}.`)
    return limitSettings(limits as LimitOptions, option)
  })
}

/**
 * Checks how many jobs of queues may wait, of the same option; call {@link queueLimitsOf} first. Queues without a bound are left out.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function queueDepthsOf(value: unknown): Readonly<Record<string, DepthBound>> {
  const bounds = byName(value, 'queueLimits', 'queues', (limits, option) => depthBound(limits as DepthOptions, option))
  return Object.fromEntries(Object.entries(bounds).flatMap(([queue, bound]) => (bound === undefined ? [] : [[queue, bound]])))
}

/**
 * Checks the capacities of resources, by name.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function resourcesOf(value: unknown): Readonly<Record<string, Capacity>> {
  return byName(value, 'resources', 'resources', (capacity, option) => capacityOf(capacity, option, 'capacity'))
}

function byName<T>(value: unknown, option: string, of: string, read: (one: unknown, option: string) => T): Record<string, T> {
  if (value === undefined) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw optionInvalid(option, value, `an object of ${of} by name`)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, read(one, `${option}.${name}`)]))
}
