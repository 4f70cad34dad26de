/** Flows: jobs that wait for others. Pure: the options of an enqueue, and the rule of a dependency that failed. */
import { optionInvalid } from '../errors.ts'
import type { ErrorRecord } from './error-record.ts'
import type { JobId } from './lease.ts'
import type { JobState } from './state.ts'

const correlationLengthMax = 200
const afterMax = 10_000

/** What becomes of a job where one that it waits for does not complete. */
export type AfterFailed = 'discard' | 'cancel' | 'run'

/** A job that another one waits for: its handle, or its id. */
export type JobReference = string | { readonly id: JobId }

/** Whom a new job waits for. */
export interface NewDependencies {
  /** Jobs that are there; or all jobs of the same command that stand before it. */
  readonly jobs: readonly JobId[] | 'batch'
  readonly ifFailed: AfterFailed
}

/** Where a job comes from, and what it is part of. */
export interface JobFamily {
  /** The job whose handler enqueued it; null where the app did. */
  readonly parent: JobId | null
  /** The first job of its family; null where it is the first itself. */
  readonly root: JobId | null
  readonly correlationId: string | null
}

/** The options of a flow, of one enqueue. */
export interface FlowOptions {
  /** Jobs that must be over before this one may run: handles or ids, of any kind and queue, up to 10,000. */
  readonly after?: JobReference | readonly JobReference[]
  /** Where one of them was discarded or cancelled: `'discard'` this one too (default), `'cancel'` it, or `'run'` it all the same. */
  readonly afterFailed?: AfterFailed
  /** Names whatever the job is part of, to find it by; up to 200 characters. A child has its parent's unless it says otherwise. */
  readonly correlationId?: string
}

/**
 * Checks whom a job waits for; undefined for nobody.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`.
 */
export function dependenciesOf({ after, afterFailed = 'discard' }: FlowOptions): NewDependencies | undefined {
  if (!['discard', 'cancel', 'run'].includes(afterFailed))
    throw optionInvalid('afterFailed', afterFailed, "'discard', 'cancel' or 'run'")
  if (after === undefined) return undefined
  const list: readonly unknown[] = Array.isArray(after) ? after : [after]
  if (list.length > afterMax) throw optionInvalid('after', `a list of ${list.length}`, `at most ${afterMax} jobs`)
  return list.length === 0 ? undefined : { jobs: [...new Set(list.map(idOf))], ifFailed: afterFailed }
}

/**
 * Checks a correlation id.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`.
 */
export function checkCorrelationId(value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= correlationLengthMax) return value
  throw optionInvalid('correlationId', value, `a text of 1 to ${correlationLengthMax} characters`)
}

function idOf(reference: unknown): JobId {
  const id = typeof reference === 'object' && reference !== null && 'id' in reference ? reference.id : reference
  if (typeof id === 'string' && id !== '') return id as JobId
  throw optionInvalid('after', reference, 'the handle or the id of a job, or a list of them')
}

/** Where a job goes when one that it waited for is over; null where it waits on (for the others) or may run. */
export function endAfter(needed: JobState, ifFailed: AfterFailed): 'discarded' | 'cancelled' | null {
  if (needed === 'completed' || ifFailed === 'run') return null
  return ifFailed === 'cancel' ? 'cancelled' : 'discarded'
}

/** Why a job came to its end before it could run. `state` is null where the other job is not there (any more). */
export function dependencyError(needed: {
  readonly id: string
  readonly kind?: string
  readonly state: JobState | null
}): ErrorRecord {
  const of = needed.kind === undefined ? '' : ` (${needed.kind})`
  const what = needed.state === null ? 'is not there' : `was ${needed.state}`
  return {
    name: 'ReeveError',
    code: 'REEVE_DEPENDENCY_FAILED',
    message: `This job was to run after job ${needed.id}${of}, which ${what}. Retry that one and then this one, or enqueue with afterFailed: 'run'.`,
    fields: { jobId: needed.id },
  }
}
