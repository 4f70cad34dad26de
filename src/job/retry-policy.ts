/** When a failed attempt is tried again. Pure: time and chance are passed in. */
import type { Random } from '../random.ts'

/** Waits that are given one by one, in milliseconds; the last holds for all further ones. */
export interface ListedWaits {
  readonly delaysMs: readonly number[]
}

/** Waits that grow, in milliseconds, after all defaults are filled in. */
export interface GrowingWaits {
  readonly baseMs: number
  readonly maxMs: number
  /** By what each further wait is multiplied; 1 keeps it fixed. */
  readonly factor: number
  /** Up to which part of the wait is added at random, 0 to 1. Jitter only ever adds: the backoff is a floor. */
  readonly jitter: number
}

/** How long to wait between attempts. */
export type Backoff = GrowingWaits | ListedWaits

/** How often a job is tried unless its kind or its enqueue says otherwise. */
export const attemptsMaxDefault = 3

/** The waits unless a kind or an enqueue says otherwise: about 1 s, 2 s, 4 s, … up to a minute. */
export const backoffDefault: GrowingWaits = { baseMs: 1_000, maxMs: 60_000, factor: 2, jitter: 0.2 }

/**
 * The wait after failed attempt number `attempt` (from 1): as it is listed, or exponential, capped, with jitter on top.
 * Invariant `backoff-floor`: never below what is listed, or `min(base * factor^(attempt-1), max)`.
 *
 * @example
 * ```ts
 * retryDelayMs(3, { baseMs: 1000, maxMs: 60000, factor: 2, jitter: 0 }, realRandom) // 4000
 * ```
 */
export function retryDelayMs(attempt: number, backoff: Backoff, random: Pick<Random, 'next'>): number {
  const floor = backoffFloorMs(attempt, backoff)
  return 'jitter' in backoff ? Math.round(floor + floor * backoff.jitter * random.next()) : Math.ceil(floor)
}

/** The least wait after failed attempt number `attempt` (from 1). */
export function backoffFloorMs(attempt: number, backoff: Backoff): number {
  if ('delaysMs' in backoff) return backoff.delaysMs[Math.min(Math.max(attempt, 1), backoff.delaysMs.length) - 1] ?? 0
  return Math.min(backoff.baseMs * backoff.factor ** Math.max(attempt - 1, 0), backoff.maxMs)
}
