/** How users say when a failed attempt of a kind is tried again, by its waits or by the ticks of its schedule. */
import type { Duration } from '../../duration.ts'
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
  /**
   * Whether an error is worth another attempt: `false` makes the job a dead letter at once. Called on the worker with whatever was
   * thrown. Where it throws itself, the job is tried again.
   */
  readonly shouldRetry?: (error: unknown) => boolean | Promise<boolean>
  /**
   * How long to wait after failed attempt number `attempt` (from 1), instead of `backoff`; undefined leaves it to that. Called on the
   * worker with whatever was thrown. Where it throws itself, and for an attempt that ends without a word of its handler (a timeout,
   * memory, an exit, a crash), `backoff` holds.
   */
  readonly retryDelay?: (attempt: number, error: unknown) => Duration | undefined | Promise<Duration | undefined>
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
    throw optionInvalid(option, retry, 'an object with attemptsMax, backoff, shouldRetry, retryDelay, withinTick')
  const { withinTick = false, backoff, shouldRetry, retryDelay, ...rest } = retry
  for (const [name, value] of Object.entries({ shouldRetry, retryDelay }))
    if (value !== undefined && typeof value !== 'function') throw optionInvalid(`${option}.${name}`, value, 'a function')
  if (typeof withinTick !== 'boolean') throw optionInvalid(`${option}.withinTick`, withinTick, 'true or false')
  if (backoff !== 'next-tick') {
    const settings = retrySettings({ ...rest, ...(backoff !== undefined && { backoff }) }, option)
    return withinTick ? { ...settings, tickRetry: 'within-tick' } : settings
  }
  if (withinTick) throw optionInvalid(`${option}.withinTick`, withinTick, "false, with `backoff: 'next-tick'`")
  return { ...retrySettings(rest, option), tickRetry: 'next-tick' }
}
