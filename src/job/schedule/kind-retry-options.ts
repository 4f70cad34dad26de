/** How users say when a failed attempt of a kind is tried again, by its waits or by the ticks of its schedule. */
import { optionInvalid } from '../../errors.ts'
import type { KindSettings } from '../kind.ts'
import { type RetryOptions, retrySettings } from '../retry-options.ts'

/** How failed attempts of a kind are tried again. */
export interface KindRetryOptions extends Omit<RetryOptions, 'backoff'> {
  /**
   * The waits between attempts, or `'next-tick'`: a scheduled job that fails is tried again at the next tick of its schedule, which
   * with `overlap: 'skip'` it takes the place of. A job without a next tick waits as by default.
   */
  readonly backoff?: NonNullable<RetryOptions['backoff']> | 'next-tick'
  /** Whether a scheduled job is discarded where its retry would not begin before the next tick; a catch-up is not. Default false. */
  readonly withinTick?: boolean
}

/**
 * Checks the retry options of a kind; `option` is what they are called in the error.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function kindRetrySettings(
  retry: KindRetryOptions,
  option: string,
): Pick<KindSettings, 'attemptsMax' | 'backoff' | 'tickRetry'> {
  if (typeof retry !== 'object' || retry === null)
    throw optionInvalid(option, retry, 'an object with attemptsMax, backoff, withinTick')
  const { withinTick = false, backoff, ...rest } = retry
  if (typeof withinTick !== 'boolean') throw optionInvalid(`${option}.withinTick`, withinTick, 'true or false')
  if (typeof backoff === 'string' && backoff !== 'next-tick')
    throw optionInvalid(`${option}.backoff`, backoff, "an object with base, max, factor, jitter, or 'next-tick'")
  if (backoff !== 'next-tick') {
    const settings = retrySettings({ ...rest, ...(backoff !== undefined && { backoff }) }, option)
    return withinTick ? { ...settings, tickRetry: 'within-tick' } : settings
  }
  if (withinTick) throw optionInvalid(`${option}.withinTick`, withinTick, "false, with `backoff: 'next-tick'`")
  return { ...retrySettings(rest, option), tickRetry: 'next-tick' }
}
