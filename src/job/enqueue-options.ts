/** The options of one enqueue, and the row that they make. */
import { type Duration, durationMs } from '../duration.ts'
import { optionInvalid } from '../errors.ts'
import { checkCorrelationId, dependenciesOf, type FlowOptions } from './flow.ts'
import { type KnownOptions, refuseUnknownOptions } from './known-options.ts'
import type { JobId } from './lease.ts'
import type { NewJob } from './new-job.ts'
import type { StoredPayload } from './payload.ts'
import { type RoomWait, roomWait } from './queue-depth-bound.ts'
import { type RetryOptions, retrySettings } from './retry-options.ts'
import { type UniqueOptions, type UniqueRule, uniqueRule } from './unique-key.ts'

const queueDefault = 'default'
const nameLengthMax = 200
const priorityMax = 1_000_000

/** What an enqueue may say of its job. */
export interface EnqueueOptions extends FlowOptions {
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
  /** How long to wait where the queue is full and lets enqueues wait (`queueLimits`, `whenFull: 'wait'`). Of `enqueueMany` the call has it. */
  readonly waitForRoom?: RoomWait
  /** Makes the job the only one of a key. */
  readonly unique?: UniqueOptions
}

const known: KnownOptions<EnqueueOptions> = {
  priority: true,
  delay: true,
  runAt: true,
  queue: true,
  group: true,
  timeout: true,
  retry: true,
  waitForRoom: true,
  unique: true,
  after: true,
  afterFailed: true,
  correlationId: true,
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
  const { priority = 0, queue = queueDefault, group, timeout, retry, correlationId } = options
  if (!Number.isInteger(priority) || Math.abs(priority) > priorityMax)
    throw optionInvalid('priority', priority, `a whole number from -${priorityMax} to ${priorityMax}`)
  if (typeof queue !== 'string' || queue === '' || queue.length > nameLengthMax)
    throw optionInvalid('queue', queue, `a name of 1 to ${nameLengthMax} characters`)
  if (group !== undefined && (typeof group !== 'string' || group === '' || group.length > nameLengthMax))
    throw optionInvalid('group', group, `a name of 1 to ${nameLengthMax} characters`)
  if (options.waitForRoom !== undefined) roomWait(options.waitForRoom)
  const after = dependenciesOf(options)
  const unique = uniqueOf(options, { kind, queue, now })
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
    ...(unique !== undefined && { unique }),
    ...(after !== undefined && { after }),
    ...(correlationId !== undefined && { correlationId: checkCorrelationId(correlationId) }),
  }
}

/** What changes a job that is there would change whom it waits for as well: that is not offered. */
function uniqueOf(
  { unique, after, delay }: EnqueueOptions,
  job: { readonly kind: string; readonly queue: string; readonly now: number },
): UniqueRule | undefined {
  if (unique === undefined) return undefined
  const rule = uniqueRule(unique, job)
  if (after !== undefined && ['replace', 'latest', 'debounce'].includes(rule.conflict))
    throw optionInvalid('after', 'given', `nothing together with unique.conflict: '${rule.conflict}'`)
  if (rule.conflict === 'debounce' && delay === undefined)
    throw optionInvalid('delay', delay, "a duration, together with unique.conflict: 'debounce'")
  return rule
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
