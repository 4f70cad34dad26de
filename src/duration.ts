/** Durations as people write them. A leaf: it knows nothing of jobs. */
import ms, { type StringValue } from 'ms'
import { optionInvalid } from './errors.ts'

/**
 * A length of time: milliseconds as a number, or a number with a unit: `'500ms'`, `'30s'`, `'4m'`, `'2h'`, `'1d'`.
 *
 * @example
 * ```ts
 * const wait: Duration = '30s'
 * ```
 */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

/** What {@link Duration} accepts, in words, for error messages. */
export const durationAccepted = "milliseconds from 0, or a string such as '500ms', '30s', '4m', '2h', '1d'"

/** A few hundred years; more than this is a mistake of units. */
const durationMaxMs = 1e13

/**
 * Reads a duration as milliseconds. Zero is accepted; `Infinity` only where `infinite` is set.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 * @example
 * ```ts
 * durationMs('1.5s', 'timeout') // 1500
 * ```
 */
export function durationMs(value: unknown, option: string, { infinite = false } = {}): number {
  if (infinite && value === Number.POSITIVE_INFINITY) return value
  const milliseconds = typeof value === 'string' && /^\d+(\.\d+)?(ms|s|m|h|d)$/.test(value) ? ms(value as StringValue) : value
  if (typeof milliseconds === 'number' && milliseconds >= 0 && milliseconds <= durationMaxMs) return milliseconds
  throw optionInvalid(option, value, infinite ? `${durationAccepted}, or Infinity` : durationAccepted)
}
