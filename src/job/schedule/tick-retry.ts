/** How retries of a kind keep to the ticks of its schedule. Pure. */
import type { Settlement } from '../outcome.ts'
import type { JobTick } from './job-tick.ts'

/**
 * `'next-tick'`: a failed attempt is tried again at the next tick. `'within-tick'`: a retry that would not begin before the next tick
 * is not made.
 */
export type TickRetry = 'next-tick' | 'within-tick'

/** The tick of a job, and how its retries keep to it. */
export interface Keeping {
  readonly tick: JobTick | null
  readonly tickRetry: TickRetry | undefined
}

/** Makes the retry that a failed attempt would have keep to the ticks; without room for one the job is discarded. */
export function keepToTick(settlement: Settlement, keeping: Keeping, now: number): Settlement {
  if (settlement.type !== 'fail') return settlement
  const delayMs = retryWaitMs(settlement.delayMs, keeping, now)
  return delayMs === null ? { type: 'discard', error: settlement.error } : { ...settlement, delayMs }
}

/** How long a failed attempt waits for its retry, where it would be `delayMs` by its backoff; null where there is to be none. */
export function retryWaitMs(delayMs: number, { tick, tickRetry }: Keeping, now: number): number | null {
  const nextAt = tick?.nextAt ?? null
  if (nextAt === null || tickRetry === undefined) return delayMs
  // What is left until the tick may be less than the backoff's floor: the tick is what was asked for.
  if (tickRetry === 'next-tick') return nextAt > now ? nextAt - now : delayMs
  return tick?.isCatchUp === true || now + delayMs < nextAt ? delayMs : null
}
