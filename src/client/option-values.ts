/** Checks of single option values; each throws `REEVE_OPTION_INVALID` with the option's name, its value and what is accepted. */
import { durationMs } from '../duration.ts'
import { optionInvalid } from '../errors.ts'

/** One of some words. */
export function oneOf<const T extends string>(value: unknown, option: string, accepted: readonly T[]): T {
  const found = accepted.find((candidate) => candidate === value)
  if (found !== undefined) return found
  throw optionInvalid(option, value, accepted.map((candidate) => `'${candidate}'`).join(' or '))
}

/** A duration of at least so many milliseconds. */
export function atLeast(value: unknown, option: string, leastMs: number, infinite = false): number {
  const milliseconds = durationMs(value, option, { infinite })
  if (milliseconds >= leastMs) return milliseconds
  throw optionInvalid(option, value, `a duration of at least ${leastMs} ms`)
}

/** A whole number within bounds. */
export function wholeNumber(value: unknown, option: string, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw optionInvalid(option, value, `a whole number from ${least} to ${most}`)
}
