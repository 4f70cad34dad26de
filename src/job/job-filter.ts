/** Which jobs are meant: what users write, and its checked form, which crosses to the supervisor as plain data. */
import { optionInvalid } from '../errors.ts'
import { isJobState, type JobState, jobStates } from './state.ts'

/** A point of time: a Date, or milliseconds since the Unix epoch. */
export type Instant = Date | number

/**
 * Jobs that match every field that is given. A list matches each of its members; an empty one matches nothing.
 *
 * @example
 * ```ts
 * const filter: JobFilter = { kinds: ['thumbnail'], states: ['discarded'], errorCode: 'ENOENT' }
 * ```
 */
export interface JobFilter {
  readonly ids?: readonly string[]
  readonly kinds?: readonly string[]
  readonly queues?: readonly string[]
  readonly groups?: readonly string[]
  readonly states?: readonly JobState[]
  readonly correlationId?: string
  /** The id of the job that enqueued them. */
  readonly parent?: string
  /** Before this moment, and not at it. */
  readonly createdBefore?: Instant
  /** At this moment or after it. */
  readonly createdAfter?: Instant
  /** Over, and so before this moment. */
  readonly settledBefore?: Instant
  readonly settledAfter?: Instant
  readonly runAtBefore?: Instant
  readonly runAtAfter?: Instant
  /** The `code` of the job's last error. */
  readonly errorCode?: string
}

/** A filter that was checked: points of time are milliseconds, and absent fields are left out. */
export type JobCriteria = {
  readonly [F in keyof JobFilter]: NonNullable<JobFilter[F]> extends Instant ? number : JobFilter[F]
}

type Check = (value: unknown, option: string) => unknown

/** More ids, kinds or groups than this in one filter are a mistake: a filter is for what no list names. */
const listMax = 100_000

const fields: Readonly<Record<keyof JobFilter, Check>> = {
  ids: names,
  kinds: names,
  queues: names,
  groups: names,
  states,
  correlationId: text,
  parent: text,
  createdBefore: instant,
  createdAfter: instant,
  settledBefore: instant,
  settledAfter: instant,
  runAtBefore: instant,
  runAtAfter: instant,
  errorCode: text,
}

/**
 * Checks a filter; `option` is what it is called in the error.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the field, its value and what is accepted.
 */
export function jobCriteria(filter: JobFilter, option = 'filter'): JobCriteria {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    throw optionInvalid(option, filter, `an object with some of ${Object.keys(fields).join(', ')}`)
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    given.map(([field, value]) => {
      if (!Object.hasOwn(fields, field))
        throw optionInvalid(`${option}.${field}`, value, `no such field; there are ${Object.keys(fields).join(', ')}`)
      return [field, fields[field as keyof JobFilter](value, `${option}.${field}`)]
    }),
  )
}

function names(value: unknown, option: string): readonly string[] {
  if (Array.isArray(value) && value.length <= listMax && value.every((name) => typeof name === 'string' && name !== ''))
    return value
  throw optionInvalid(option, value, `a list of up to ${listMax} texts, none of them empty`)
}

function states(value: unknown, option: string): readonly JobState[] {
  if (Array.isArray(value) && value.every(isJobState)) return value
  throw optionInvalid(option, value, `a list of states: ${jobStates.join(', ')}`)
}

function text(value: unknown, option: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw optionInvalid(option, value, 'a text that is not empty')
}

function instant(value: unknown, option: string): number {
  const at = value instanceof Date ? value.getTime() : value
  if (typeof at === 'number' && Number.isFinite(at) && Math.abs(at) <= 8.64e15) return at
  throw optionInvalid(option, value instanceof Date ? String(value) : value, 'a valid Date, or milliseconds since the Unix epoch')
}
