/**
 * Uniqueness as pure rules: what a key is, how long it is held, and what an enqueue does that meets a holder. The store
 * asks here inside the enqueueing transaction; the unique index of the table is what holds the key.
 */
import { type Duration, durationMs } from '../duration.ts'
import { optionInvalid } from '../errors.ts'
import { type KnownOptions, refuseUnknownOptions } from './known-options.ts'
import { isTerminal, type JobState } from './state.ts'

const keyLengthMax = 1_000

/** What becomes of an enqueue whose key is held; docs/unique-jobs.md has the table. */
export type UniqueConflict = 'reuse' | 'reuse-completed' | 'reject' | 'replace' | 'latest' | 'debounce'

const conflicts: readonly UniqueConflict[] = ['reuse', 'reuse-completed', 'reject', 'replace', 'latest', 'debounce']

/** How an enqueue makes its job the only one of its key. */
export interface UniqueOptions {
  /** Whatever names the thing that the job is about, 1 to 1,000 characters. */
  readonly key: string
  /** Whether the key counts among the jobs of its kind (default), or of its queue. */
  readonly scope?: 'kind' | 'queue'
  /** How long the key is held: until the job is over (`'live'`, default), or for so long from the enqueue on, over or not. */
  readonly while?: 'live' | Duration
  /** What to do where the key is held; default `'reuse'`: the holder's handle is given back. */
  readonly conflict?: UniqueConflict
  /** Of `'debounce'`: how long after the first enqueue the job may be put off at most; default without end. */
  readonly maxWait?: Duration
}

const known: KnownOptions<UniqueOptions> = { key: true, scope: true, while: true, conflict: true, maxWait: true }

/** What holds a key: being live, having completed as well, or a span of time. */
export type UniqueHold = 'live' | 'completed' | 'window'

/** The checked form, as a store is told it. Times are wall clock, milliseconds. */
export interface UniqueRule {
  /** With its scope: see {@link uniqueKey}. */
  readonly key: string
  readonly conflict: UniqueConflict
  readonly hold: UniqueHold
  /** When the key is free whatever holds it; null for no such end. */
  readonly until: number | null
  /** Of `debounce`: how long after the first enqueue it may be due at most; null for any time. */
  readonly maxWaitMs: number | null
}

/** The key as it is stored: a JSON list, so that no kind and key together look like another pair. */
export function uniqueKey(scope: 'kind' | 'queue', name: string, key: string): string {
  return JSON.stringify([scope, name, key])
}

/**
 * Checks the options.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function uniqueRule(
  options: UniqueOptions,
  job: { readonly kind: string; readonly queue: string; readonly now: number },
): UniqueRule {
  if (typeof options !== 'object' || options === null)
    throw optionInvalid('unique', options, `an object with ${Object.keys(known).join(', ')}`)
  refuseUnknownOptions(options, known, 'unique.')
  const { key, scope = 'kind', while: span = 'live', conflict = 'reuse', maxWait } = options
  if (typeof key !== 'string' || key === '' || key.length > keyLengthMax)
    throw optionInvalid('unique.key', key, `a text of 1 to ${keyLengthMax} characters`)
  if (scope !== 'kind' && scope !== 'queue') throw optionInvalid('unique.scope', scope, "'kind' or 'queue'")
  if (!conflicts.includes(conflict))
    throw optionInvalid('unique.conflict', conflict, conflicts.map((each) => `'${each}'`).join(', '))
  if (maxWait !== undefined && conflict !== 'debounce')
    throw optionInvalid('unique.maxWait', maxWait, "only together with conflict: 'debounce'")
  const until = span === 'live' ? null : job.now + durationMs(span, 'unique.while')
  return {
    key: uniqueKey(scope, job[scope], key),
    conflict,
    hold: conflict === 'reuse-completed' ? 'completed' : until === null ? 'live' : 'window',
    until,
    maxWaitMs: maxWait === undefined ? null : durationMs(maxWait, 'unique.maxWait'),
  }
}

/** Whether a job that came to this end holds its key on. */
export function holdsWhenOver(hold: UniqueHold, state: JobState): boolean {
  return hold === 'window' || (hold === 'completed' && state === 'completed')
}

/** What of a job a conflict depends on. */
export interface UniqueHolder {
  readonly kind: string
  readonly state: JobState
}

/**
 * What an enqueue does: leave the holder (`existing`), change the one that waits last (`replace`), come after the one that
 * runs (`follow-up`), take the key from one that is over (`take-over`), or fail (`refuse`).
 */
export type ConflictDecision = 'existing' | 'replace' | 'follow-up' | 'take-over' | 'refuse'

/**
 * The table of conflicts. Where there is a follow-up, it is what is replaced: it runs last, so the newest input belongs to it.
 * A job of another kind (scope `queue`) is never replaced: its handler could not read the input.
 */
export function decideConflict(
  conflict: UniqueConflict,
  kind: string,
  holder: UniqueHolder,
  followUp: UniqueHolder | undefined,
): ConflictDecision {
  const over = isTerminal(holder.state)
  const replace = (followUp ?? holder).kind === kind ? 'replace' : 'refuse'
  switch (conflict) {
    case 'reuse':
      return 'existing'
    case 'reuse-completed':
      return over && holder.state !== 'completed' ? 'take-over' : 'existing'
    case 'reject':
      return 'refuse'
    case 'replace':
      return over || holder.state === 'running' ? 'refuse' : replace
    case 'latest':
    case 'debounce':
      if (over) return 'take-over'
      return holder.state === 'running' && followUp === undefined ? 'follow-up' : replace
  }
}
