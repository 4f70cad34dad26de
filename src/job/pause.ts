/** What can be paused, and what a pause is. Checks of what people write. */
import { optionInvalid } from '../errors.ts'

/** What to pause: all jobs of a queue, of a kind, or of one group of a queue. */
export type PauseTarget =
  | { readonly queue: string }
  | { readonly kind: string }
  | { readonly queue: string; readonly group: string }

/** A pause that holds now. */
export interface Pause {
  readonly target: PauseTarget
  /** When it ends by itself, wall clock; null where somebody must resume it. */
  readonly until: number | null
  readonly reason: string | null
}

const nameLengthMax = 200
const reasonLengthMax = 1_000
const accepted = '{ queue }, { kind } or { queue, group }, each a name of 1 to 200 characters'

/**
 * Checks what to pause or resume.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that says what is accepted.
 */
export function pauseTarget(value: unknown): PauseTarget {
  if (typeof value !== 'object' || value === null) throw optionInvalid('target', value, accepted)
  const names = Object.keys(value).toSorted().join()
  if (names !== 'queue' && names !== 'kind' && names !== 'group,queue') throw optionInvalid('target', value, accepted)
  for (const [option, name] of Object.entries(value)) {
    if (typeof name !== 'string' || name === '' || name.length > nameLengthMax)
      throw optionInvalid(`target.${option}`, name, `a name of 1 to ${nameLengthMax} characters`)
  }
  return value as PauseTarget
}

/**
 * Checks when a pause ends and why it is made; absent ones are null.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function pauseTerms({ until, reason }: { readonly until?: unknown; readonly reason?: unknown }): Omit<Pause, 'target'> {
  const at = until instanceof Date ? until.getTime() : until
  if (at !== undefined && !(typeof at === 'number' && Number.isFinite(at) && Math.abs(at) <= 8.64e15))
    throw optionInvalid('until', String(until), 'a valid Date, or milliseconds since the Unix epoch')
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > reasonLengthMax))
    throw optionInvalid('reason', reason, `a text of at most ${reasonLengthMax} characters`)
  return { until: at === undefined ? null : Math.ceil(at), reason: reason ?? null }
}
