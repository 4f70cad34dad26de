/** How long jobs are kept once they are over: what users write, its checked form, and which rule a job falls under. Pure. */
import { type Duration, durationMs } from '../duration.ts'
import { optionInvalid } from '../errors.ts'
import { type KnownOptions, refuseUnknownOptions } from './known-options.ts'
import { isTerminal, type TerminalState, terminalStates } from './state.ts'

/** A rule for jobs that are over. Of several rules the first that matches a job decides alone; a field that is absent matches all. */
export interface RetentionRule {
  readonly state?: TerminalState | readonly TerminalState[]
  readonly kind?: string | readonly string[]
  readonly queue?: string | readonly string[]
  /** How long a job is kept after it was over; `Infinity` for ever. */
  readonly maxAge?: Duration
  /** How many of each state are kept: the latest. */
  readonly maxCount?: number
}

/** A rule that was checked; null matches all, or bounds nothing. */
export interface RetentionBound {
  readonly states: readonly TerminalState[] | null
  readonly kinds: readonly string[] | null
  readonly queues: readonly string[] | null
  readonly maxAgeMs: number | null
  readonly maxCount: number | null
}

const day = 24 * 60 * 60 * 1_000
const rulesMax = 1_000
const countMax = 1_000_000_000

/** What holds where no rule of the user's matches: a week, and a month for dead letters, which somebody may still look into. */
export const retentionDefaults: readonly RetentionBound[] = [
  { states: ['discarded'], kinds: null, queues: null, maxAgeMs: 30 * day, maxCount: null },
  { states: null, kinds: null, queues: null, maxAgeMs: 7 * day, maxCount: null },
]

const known: KnownOptions<RetentionRule> = { state: true, kind: true, queue: true, maxAge: true, maxCount: true }

/**
 * Checks the option `retention`: rules, which go before the defaults, or `false`, which keeps every job for ever.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the rule and its field, the value and what is accepted.
 */
export function retentionBounds(retention: readonly RetentionRule[] | false = []): readonly RetentionBound[] {
  if (retention === false) return []
  if (!Array.isArray(retention) || retention.length > rulesMax)
    throw optionInvalid(
      'retention',
      retention,
      `false, or a list of up to ${rulesMax} rules with ${Object.keys(known).join(', ')}`,
    )
  return [...retention.map((rule: RetentionRule, index) => boundOf(rule, `retention[${index}]`)), ...retentionDefaults]
}

/** The index of the rule that a job falls under; -1 where it is kept for ever. */
export function ruleOf(
  job: { readonly state: TerminalState; readonly kind: string; readonly queue: string },
  bounds: readonly RetentionBound[],
): number {
  const holds = <T>(list: readonly T[] | null, value: T) => list === null || list.includes(value)
  return bounds.findIndex(
    ({ states, kinds, queues }) => holds(states, job.state) && holds(kinds, job.kind) && holds(queues, job.queue),
  )
}

function boundOf(rule: RetentionRule, option: string): RetentionBound {
  if (typeof rule !== 'object' || rule === null)
    throw optionInvalid(option, rule, `an object with ${Object.keys(known).join(', ')}`)
  refuseUnknownOptions(rule, known, `${option}.`)
  const { state, kind, queue, maxAge, maxCount } = rule
  if (maxAge === undefined && maxCount === undefined)
    throw optionInvalid(option, rule, 'a rule with `maxAge`, `maxCount` or both')
  if (maxCount !== undefined && !(Number.isInteger(maxCount) && maxCount >= 0 && maxCount <= countMax))
    throw optionInvalid(`${option}.maxCount`, maxCount, `a whole number from 0 to ${countMax}`)
  const maxAgeMs = maxAge === undefined ? Number.POSITIVE_INFINITY : durationMs(maxAge, `${option}.maxAge`, { infinite: true })
  return {
    states: listOf(state, `${option}.state`, isOver, `one or more of ${terminalStates.join(', ')}`),
    kinds: listOf(kind, `${option}.kind`, isName, 'the name of a kind, or a list of them'),
    queues: listOf(queue, `${option}.queue`, isName, 'the name of a queue, or a list of them'),
    maxAgeMs: maxAgeMs === Number.POSITIVE_INFINITY ? null : maxAgeMs,
    maxCount: maxCount ?? null,
  }
}

function listOf<T>(value: unknown, option: string, fits: (one: unknown) => one is T, accepted: string): readonly T[] | null {
  if (value === undefined) return null
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (list.every(fits)) return list
  throw optionInvalid(option, value, accepted)
}

function isOver(value: unknown): value is TerminalState {
  return typeof value === 'string' && isTerminal(value as TerminalState)
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
