/** How users say when a failed attempt is tried again: of a kind, of one enqueue, or of a step. */
import { type Duration, durationMs } from '../duration.ts'
import { optionInvalid } from '../errors.ts'
import type { KindSettings } from './kind.ts'
import { type KnownOptions, refuseUnknownOptions } from './known-options.ts'
import { type Backoff, backoffDefault } from './retry-policy.ts'

const attemptsMaxLimit = 1_000
const factorLimit = 100
const delaysMax = 1_000

/** Waits that grow from failure to failure. */
export interface GrowingBackoff {
  /** The wait after the first failure; default 1 s. */
  readonly base?: Duration
  /** No wait is longer than this (before jitter); default one minute, or `base` where that is longer. */
  readonly max?: Duration
  /** By what each further wait is multiplied, from 1; default 2. */
  readonly factor?: number
  /** Up to which part of the wait is added at random, 0 to 1; default 0.2. */
  readonly jitter?: number
}

/** How failed attempts are tried again. What an enqueue says goes before what its kind says. */
export interface RetryOptions {
  /** How often a job is tried in all, from 1; default 3. */
  readonly attemptsMax?: number
  /**
   * The waits between attempts: growing ones (default, with jitter), one length for all of them, or a list of which the last holds
   * for all further waits. The last two are kept to exactly.
   */
  readonly backoff?: GrowingBackoff | Duration | readonly Duration[]
}

const known: KnownOptions<RetryOptions> = { attemptsMax: true, backoff: true }
const knownGrowing: KnownOptions<GrowingBackoff> = { base: true, max: true, factor: true, jitter: true }

/**
 * Checks retry options, of a kind or of an enqueue; `option` is what they are called in the error.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function retrySettings(retry: RetryOptions, option: string): Pick<KindSettings, 'attemptsMax' | 'backoff'> {
  if (typeof retry !== 'object' || retry === null) throw optionInvalid(option, retry, 'an object with attemptsMax, backoff')
  for (const [name, value] of Object.entries(retry)) {
    if (typeof value !== 'function') continue
    const where = 'nothing here: a function cannot be stored with a job; give it to the kind, in the jobs module'
    throw optionInvalid(`${option}.${name}`, value, where)
  }
  refuseUnknownOptions(retry, known, `${option}.`)
  return {
    ...(retry.attemptsMax !== undefined && { attemptsMax: attempts(retry.attemptsMax, `${option}.attemptsMax`) }),
    ...(retry.backoff !== undefined && { backoff: backoffOf(retry.backoff, `${option}.backoff`) }),
  }
}

function attempts(value: unknown, option: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= attemptsMaxLimit) return value
  throw optionInvalid(option, value, `a whole number from 1 to ${attemptsMaxLimit}`)
}

function backoffOf(backoff: NonNullable<RetryOptions['backoff']>, option: string): Backoff {
  if (isList(backoff)) {
    if (backoff.length === 0 || backoff.length > delaysMax)
      throw optionInvalid(option, backoff, `a list of 1 to ${delaysMax} durations`)
    return { delaysMs: backoff.map((delay, index) => durationMs(delay, `${option}[${index}]`)) }
  }
  if (typeof backoff === 'object' && backoff !== null) return growingOf(backoff, option)
  return { delaysMs: [durationMs(backoff, option)] }
}

function isList(backoff: unknown): backoff is readonly Duration[] {
  return Array.isArray(backoff)
}

function growingOf(backoff: GrowingBackoff, option: string): Backoff {
  refuseUnknownOptions(backoff, knownGrowing, `${option}.`)
  const { base = backoffDefault.baseMs, factor = backoffDefault.factor, jitter = backoffDefault.jitter } = backoff
  const baseMs = durationMs(base, `${option}.base`)
  const maxMs = durationMs(backoff.max ?? Math.max(baseMs, backoffDefault.maxMs), `${option}.max`)
  if (maxMs < baseMs) throw optionInvalid(`${option}.max`, backoff.max, `a duration not below base (${baseMs} ms)`)
  return {
    baseMs,
    maxMs,
    factor: within(factor, 1, factorLimit, `${option}.factor`),
    jitter: within(jitter, 0, 1, `${option}.jitter`),
  }
}

function within(value: unknown, least: number, most: number, option: string): number {
  if (typeof value === 'number' && value >= least && value <= most) return value
  throw optionInvalid(option, value, `a number from ${least} to ${most}`)
}
