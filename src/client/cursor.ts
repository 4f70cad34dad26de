/** Cursors: where a page ended, as text that means something to Reeve only. */
import { optionInvalid } from '../errors.ts'

/** Makes a cursor of numbers; `of` says of which list, so that a cursor of another one is refused. */
export function encodeCursor(of: string, place: readonly number[]): string {
  return Buffer.from([of, ...place].join('.')).toString('base64url')
}

/**
 * Reads a cursor of `count` numbers.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, for what is no cursor of this list.
 */
export function decodeCursor(of: string, cursor: unknown, count: number, option: string): number[] {
  const [kind, ...place] = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString().split('.') : []
  const numbers = place.map(Number)
  if (kind === of && numbers.length === count && place.every((part) => /^\d{1,16}$/.test(part))) return numbers
  throw optionInvalid(option, cursor, 'a cursor that a page of the same list came with')
}

/**
 * Checks how many are asked for at once.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`.
 */
export function pageLimit(value: unknown, otherwise: number, most: number): number {
  if (value === undefined) return otherwise
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value
  throw optionInvalid('limit', value, `a whole number from 1 to ${most}`)
}
