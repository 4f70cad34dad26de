/** The options of one enqueue, and the row that they make. */
import { type Duration, durationMs } from '../duration.ts'
import { optionInvalid } from '../errors.ts'
import { type KnownOptions, refuseUnknownOptions } from './known-options.ts'
import type { JobId } from './lease.ts'
import type { NewJob } from './new-job.ts'
import type { StoredPayload } from './payload.ts'
import { type RetryOptions, retrySettings } from './retry-options.ts'

const queueDefault = 'default'
const nameLengthMax = 200
const priorityMax = 1_000_000

/** What an enqueue may say of its job. */
export interface EnqueueOptions {
  /** Higher runs first; a whole number, default 0. */
  readonly priority?: number
  /** How long to wait before the job may run. Not together with `runAt`. */
  readonly delay?: Duration
  /** When the job may run: a Date, or milliseconds since the Unix epoch. In the past it is due at once. */
  readonly runAt?: Date | number
  /** The queue's name; default `'default'`. */
  readonly queue?: string
  /**
   * What the job is for (a host, a customer, a document): a name of 1 to 200 characters. The groups of a queue take turns, so that
   * a long backlog of one delays no other; within a group jobs go by due time. Default: none.
   */
  readonly group?: string
  /** How long the handler may run, instead of what its kind says; `Infinity` for no bound. */
  readonly timeout?: Duration
  /** How often and when to try again, instead of what the kind says. */
  readonly retry?: RetryOptions
}

const known: KnownOptions<EnqueueOptions> = {
  priority: true,
  delay: true,
  runAt: true,
  queue: true,
  group: true,
  timeout: true,
  retry: true,
}

/** What identifies a job that is about to be enqueued. */
export interface JobToEnqueue {
  readonly id: JobId
  readonly kind: string
  readonly input: StoredPayload
  readonly now: number
}

/**
 * Checks the options and makes the row.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function newJobOf({ id, kind, input, now }: JobToEnqueue, options: EnqueueOptions = {}): NewJob {
  if (typeof kind !== 'string' || kind === '' || kind.length > nameLengthMax)
    throw optionInvalid('kind', kind, `the name of a kind, 1 to ${nameLengthMax} characters`)
  if (typeof options !== 'object' || options === null)
    throw optionInvalid('options', options, `an object with ${Object.keys(known).join(', ')}`)
  refuseUnknownOptions(options, known)
  const { priority = 0, queue = queueDefault, group, timeout, retry } = options
  if (!Number.isInteger(priority) || Math.abs(priority) > priorityMax)
    throw optionInvalid('priority', priority, `a whole number from -${priorityMax} to ${priorityMax}`)
  if (typeof queue !== 'string' || queue === '' || queue.length > nameLengthMax)
    throw optionInvalid('queue', queue, `a name of 1 to ${nameLengthMax} characters`)
  if (group !== undefined && (typeof group !== 'string' || group === '' || group.length > nameLengthMax))
    throw optionInvalid('group', group, `a name of 1 to ${nameLengthMax} characters`)
  const retrying = retry === undefined ? {} : retrySettings(retry, 'retry')
  return {
    id,
    kind,
    queue,
    group: group ?? null,
    priority,
    runAt: runAtOf(options, now),
    input,
    timeoutMs: timeout === undefined ? null : timeoutOf(timeout),
    attemptsMax: retrying.attemptsMax ?? null,
    backoff: retrying.backoff ?? null,
  }
}

function runAtOf({ delay, runAt }: EnqueueOptions, now: number): number {
  if (runAt === undefined) return delay === undefined ? now : now + durationMs(delay, 'delay')
  if (delay !== undefined) throw optionInvalid('delay', delay, 'either `delay` or `runAt`, not both')
  const at = runAt instanceof Date ? runAt.getTime() : runAt
  if (typeof at === 'number' && Number.isFinite(at) && Math.abs(at) <= 8.64e15) return Math.round(at)
  throw optionInvalid('runAt', String(runAt), 'a valid Date, or milliseconds since the Unix epoch')
}

function timeoutOf(timeout: Duration): number {
  const milliseconds = durationMs(timeout, 'timeout', { infinite: true })
  if (milliseconds > 0) return milliseconds
  throw optionInvalid('timeout', timeout, 'a duration above 0, or Infinity for no timeout')
}
