/**
 * The circuit breaker of a kind: after so many failures in a row nothing of it runs for a while, then one job is let through to
 * look. Its success closes the breaker, its failure opens it again, for twice as long. Pure.
 */
import { type Duration, durationMs } from '../duration.ts'
import { optionInvalid } from '../errors.ts'
import { refuseUnknownOptions } from './known-options.ts'

/** When a kind is held back because it fails. */
export interface BreakerOptions {
  /** After so many failed attempts in a row, over all jobs of the kind and all processes on the file; from 1. */
  readonly failures: number
  /** … nothing of the kind begins for so long, then one job; default 30 s. It doubles each time that this one fails, … */
  readonly cooldown?: Duration
  /** … up to this; default 15 minutes. */
  readonly cooldownMax?: Duration
}

/** {@link BreakerOptions} in milliseconds. */
export interface BreakerSettings {
  readonly failures: number
  readonly cooldownMs: number
  readonly cooldownMaxMs: number
}

/** What is known of a breaker. One that is closed, with no failures, need not be kept. */
export interface BreakerState {
  /** Failures in a row. */
  readonly failures: number
  /** Null while it is closed. From `until` on (wall clock) it is half open: one job at a time is let through. */
  readonly open: { readonly until: number; readonly cooldownMs: number } | null
}

/** An attempt of the kind has completed, or failed. */
export interface BreakerNews {
  readonly failed: boolean
  /** Whether it was let through by the half-open breaker. */
  readonly isTrial: boolean
  readonly now: number
}

/** How a breaker stands. */
export interface Breaker {
  readonly kind: string
  readonly state: 'closed' | 'open' | 'half-open'
  /** Failed attempts in a row. */
  readonly failures: number
  /** When one job is let through to look, wall clock; null where it is closed. */
  readonly until: number | null
}

/** What an attempt did to the breaker of its kind. */
export type BreakerChange = { readonly type: 'opened'; readonly until: number } | { readonly type: 'closed' }

const failuresMax = 1_000_000
const cooldownDefault = '30s'
const cooldownMaxDefaultMs = 15 * 60_000
const cooldownLimitMs = 366 * 24 * 60 * 60_000

/**
 * Checks the option.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function breakerSettings(value: unknown, option: string): BreakerSettings {
  if (typeof value !== 'object' || value === null)
    throw optionInvalid(option, value, 'an object with failures, and maybe cooldown and cooldownMax')
  refuseUnknownOptions<BreakerOptions>(value, { failures: true, cooldown: true, cooldownMax: true }, `${option}.`)
  const { failures, cooldown = cooldownDefault, cooldownMax } = value as BreakerOptions
  if (!Number.isInteger(failures) || failures < 1 || failures > failuresMax)
    throw optionInvalid(`${option}.failures`, failures, `a whole number from 1 to ${failuresMax}`)
  const cooldownMs = boundedMs(cooldown, `${option}.cooldown`)
  const cooldownMaxMs =
    cooldownMax === undefined ? Math.max(cooldownMs, cooldownMaxDefaultMs) : boundedMs(cooldownMax, `${option}.cooldownMax`)
  if (cooldownMaxMs < cooldownMs) throw optionInvalid(`${option}.cooldownMax`, cooldownMax, 'no less than cooldown')
  return { failures, cooldownMs, cooldownMaxMs }
}

/**
 * How a breaker stands after an attempt. While it is open or half open only the job that was let through decides: what began
 * before tells of a time that is over.
 */
export function nextBreaker(state: BreakerState, settings: BreakerSettings, { failed, isTrial, now }: BreakerNews): BreakerState {
  if (state.open !== null && !isTrial) return state
  if (!failed) return { failures: 0, open: null }
  const failures = state.failures + 1
  if (state.open === null && failures < settings.failures) return { failures, open: null }
  const cooldownMs = state.open === null ? settings.cooldownMs : Math.min(state.open.cooldownMs * 2, settings.cooldownMaxMs)
  return { failures, open: { until: now + cooldownMs, cooldownMs } }
}

/** What happened between two states; null where the breaker is as open or as closed as it was. */
export function breakerChange(was: BreakerState, is: BreakerState): BreakerChange | null {
  if (is.open === null) return was.open === null ? null : { type: 'closed' }
  return is.open === was.open ? null : { type: 'opened', until: is.open.until }
}

/** How a breaker looks at `now`. */
export function breakerAt(kind: string, { failures, open }: BreakerState, now: number): Breaker {
  if (open === null) return { kind, state: 'closed', failures, until: null }
  return { kind, state: open.until > now ? 'open' : 'half-open', failures, until: open.until }
}

function boundedMs(duration: Duration, option: string): number {
  const ms = Math.ceil(durationMs(duration, option))
  if (ms >= 1 && ms <= cooldownLimitMs) return ms
  throw optionInvalid(option, duration, 'a duration from 1 ms to 366 days')
}
