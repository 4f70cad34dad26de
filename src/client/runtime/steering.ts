/** The line of a runtime that steers jobs by hand, and shows what became of them. */
import { type Duration, durationMs } from '../../duration.ts'
import { optionInvalid } from '../../errors.ts'
import type { Jobs } from '../../job/definition.ts'
import { type KnownOptions, refuseUnknownOptions } from '../../job/known-options.ts'
import type { JobId } from '../../job/lease.ts'
import { retrySettings } from '../../job/retry-options.ts'
import type { JobState } from '../../job/state.ts'
import type { SteerAct } from '../../persistence/commands/steer.ts'
import { type AttemptSnapshot, attemptSnapshotOf } from '../attempt-snapshot.ts'
import { notFound } from '../job-handle.ts'
import { checkedTarget, type JobTarget } from '../job-target.ts'
import { Signalling } from './signalling.ts'

/** What all acts by hand take. */
export interface SteerOptions {
  /** How many jobs at most, in the order of their enqueue; default all that match. */
  readonly limit?: number
}

/** How to retry. */
export interface RetryJobOptions extends SteerOptions {
  /** Another input than the one that failed. */
  readonly input?: unknown
  /** How often to try, from now on; default what the job had. */
  readonly attemptsMax?: number
  /** How long to wait; default not at all. */
  readonly delay?: Duration
  /**
   * Whether steps that have ended (`ctx.step`) are forgotten too, so that all is done anew; default only with another `input`. Steps
   * that failed always are: the job goes on from its last good step.
   */
  readonly fromStart?: boolean
}

/** How to discard. */
export interface DiscardOptions extends SteerOptions {
  /** Stands in the job's error. */
  readonly reason?: string
}

/** How many jobs it was done to. */
export interface SteerResult {
  readonly count: number
}

const knownSteer: KnownOptions<SteerOptions> = { limit: true }
const knownRetry: KnownOptions<RetryJobOptions> = { ...knownSteer, input: true, attemptsMax: true, delay: true, fromStart: true }
const knownDiscard: KnownOptions<DiscardOptions> = { ...knownSteer, reason: true }

const notRunning: readonly JobState[] = ['ready', 'suspended', 'parked', 'completed', 'cancelled', 'discarded']

/**
 * Steers jobs by hand. Each act takes the id of one job, a list of ids, a {@link JobFilter}, or `'all'`. Of several jobs those that are
 * in no state for it are left as they are; of one job that is an error. Many jobs are done in pages, a commit each: an act that
 * fails half-way has done the first ones, and can be called again.
 */
export abstract class Steering<J extends Jobs> extends Signalling<J> {
  /**
   * Runs jobs again that are over: attempts and crashes start from 0, the result and the error are cleared (the history keeps
   * them), and a cancel is forgotten. A filter without `states`, and `'all'`, means the dead letters.
   *
   * @throws ReeveError `REEVE_JOB_NOT_FOUND`, `REEVE_JOB_STATE` for one job that is not over, `REEVE_JOB_DUPLICATE` where another one has
   * its unique key meanwhile (of several, such jobs are left as they are); `REEVE_OPTION_INVALID`,
   * `REEVE_PAYLOAD_UNCLONEABLE`, `REEVE_PAYLOAD_TOO_LARGE`.
   * @example
   * ```ts
   * await runtime.retry(jobId, { input: { file: 'b.png', width: 200 } })
   * const { count } = await runtime.retry({ kinds: ['thumbnail'], errorCode: 'ENOENT' }, { delay: '1m' })
   * ```
   */
  async retry(target: JobTarget, options: RetryJobOptions = {}): Promise<SteerResult> {
    refuseUnknownOptions(options, knownRetry)
    const { input, attemptsMax, delay = 0, fromStart } = options
    if (fromStart !== undefined && typeof fromStart !== 'boolean') throw optionInvalid('fromStart', fromStart, 'true or false')
    const act: SteerAct = {
      type: 'retry',
      runAt: this.core.clock.wall() + durationMs(delay, 'delay'),
      attemptsMax: attemptsMax === undefined ? null : (retrySettings({ attemptsMax }, 'retry').attemptsMax ?? null),
      ...(input !== undefined && { input: { payload: this.core.encode(input) } }),
      ...(fromStart !== undefined && { fromStart }),
    }
    return this.#steer(act, target, ['discarded'], options)
  }

  /**
   * Sets jobs aside that are `ready` (also for later, or to be tried again): they are not claimed until they are reopened.
   *
   * @throws ReeveError `REEVE_JOB_NOT_FOUND`, `REEVE_JOB_STATE` for one job that is not `ready`; `REEVE_OPTION_INVALID`.
   */
  async park(target: JobTarget, options: SteerOptions = {}): Promise<SteerResult> {
    refuseUnknownOptions(options, knownSteer)
    return this.#steer({ type: 'park' }, target, ['ready'], options)
  }

  /**
   * Undoes {@link Steering.park}: the jobs are `ready`, due when they were.
   *
   * @throws ReeveError `REEVE_JOB_NOT_FOUND`, `REEVE_JOB_STATE` for one job that is not parked; `REEVE_OPTION_INVALID`.
   */
  async reopen(target: JobTarget, options: SteerOptions = {}): Promise<SteerResult> {
    refuseUnknownOptions(options, knownSteer)
    return this.#steer({ type: 'reopen' }, target, ['parked'], options)
  }

  /**
   * Makes dead letters of jobs that wait. (A running one is cancelled, not discarded.)
   *
   * @throws ReeveError `REEVE_JOB_NOT_FOUND`, `REEVE_JOB_STATE` for one job that runs or is over; `REEVE_OPTION_INVALID`.
   * @example
   * ```ts
   * await runtime.discard({ kinds: ['newsletter'], createdBefore: Date.now() - 86_400_000 }, { reason: 'out of date' })
   * ```
   */
  async discard(target: JobTarget, options: DiscardOptions = {}): Promise<SteerResult> {
    refuseUnknownOptions(options, knownDiscard)
    const { reason = 'no reason was given' } = options
    if (typeof reason !== 'string') throw optionInvalid('reason', reason, 'a text')
    const message = `The job was discarded by hand while it waited: ${reason}`
    const error = { name: 'ReeveError', code: 'REEVE_DISCARD_REQUESTED', message }
    return this.#steer({ type: 'discard', error }, target, ['ready', 'suspended', 'parked'], options)
  }

  /**
   * Deletes jobs that do not run, with their history and logs. Whoever waits for one is told that it does not exist.
   * A filter without `states`, and `'all'`, means every job that does not run.
   *
   * @throws ReeveError `REEVE_JOB_NOT_FOUND`, `REEVE_JOB_STATE` for one job that runs (cancel it first); `REEVE_OPTION_INVALID`.
   */
  async delete(target: JobTarget, options: SteerOptions = {}): Promise<SteerResult> {
    refuseUnknownOptions(options, knownSteer)
    return this.#steer({ type: 'delete' }, target, notRunning, options)
  }

  /**
   * The history of a job, oldest first: its attempts, and what was done to it by hand. The latest 50 are kept. What was handed back
   * before it started is not in it.
   *
   * @throws ReeveError `REEVE_JOB_NOT_FOUND`.
   * @example
   * ```ts
   * for (const { attempt, outcome, error } of await runtime.attempts(jobId)) console.log(attempt, outcome, error?.message)
   * ```
   */
  async attempts(id: string): Promise<readonly AttemptSnapshot[]> {
    const rows = await this.core.thread.call((calls) => calls.attempts(id as JobId))
    if (rows === null) throw notFound(id)
    return rows.map(attemptSnapshotOf)
  }

  async #steer(act: SteerAct, target: JobTarget, states: readonly JobState[], { limit }: SteerOptions): Promise<SteerResult> {
    if (limit !== undefined && (!Number.isInteger(limit) || limit < 1))
      throw optionInvalid('limit', limit, 'a whole number from 1')
    const request = { act, ...checkedTarget(target, states), limit: limit ?? Number.POSITIVE_INFINITY }
    return { count: await this.core.thread.call((calls) => calls.steer(request)) }
  }
}
