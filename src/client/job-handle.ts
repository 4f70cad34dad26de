/** What `enqueue` gives back: a job's id, the wait for its result, and its cancel. */

import type { Clock } from '../clock.ts'
import { type Duration, durationMs } from '../duration.ts'
import { ReeveError } from '../errors.ts'
import type { JobEnd } from '../job/job-events.ts'
import type { JobId } from '../job/lease.ts'
import { decodePayload } from '../job/payload.ts'
import type { TerminalState } from '../job/state.ts'
import type { CancelAnswer } from '../persistence/commands/cancel.ts'
import type { EnqueueResult } from '../persistence/commands/enqueue.ts'
import { errorOfEnd } from './error-of-end.ts'
import type { Waits } from './waits.ts'

/** How to wait for a result. */
export interface ResultOptions {
  /** How long to wait; default as long as it takes. The job itself goes on. */
  readonly timeout?: Duration
  /** Ends the wait, not the job. */
  readonly signal?: AbortSignal
}

/** How a cancel went. */
export interface CancelResult {
  /** Whether the job is `cancelled`; false where it had come to another end before. */
  readonly cancelled: boolean
  /** The state that the job ended in. */
  readonly state: TerminalState
}

/** What a handle needs of its runtime. */
export interface HandleServices {
  readonly waits: Waits
  readonly clock: Clock
  readonly cancel: (id: JobId) => Promise<CancelAnswer>
}

/** A job that was enqueued. It holds no resource: forgetting it leaves the job as it is. */
export class JobHandle<Result = unknown> {
  /** The job's id, the same in every process. */
  readonly id: JobId
  /** The name of its kind. */
  readonly kind: string
  /**
   * What the enqueue came to: a `'new'` job; an `'existing'` one that holds the unique key; one that waited and was `'replaced'`;
   * or a `'follow-up'` of the one that runs. Null where the handle was made from an id.
   */
  readonly enqueued: EnqueueResult | null
  readonly #services: HandleServices

  /** @internal */
  constructor(id: JobId, kind: string, enqueued: EnqueueResult | null, services: HandleServices) {
    this.id = id
    this.kind = kind
    this.enqueued = enqueued
    this.#services = services
  }

  /**
   * Resolves with what the handler returned, also long after it ended, and across a restart of the supervisor thread.
   *
   * @throws ReeveError `REEVE_JOB_DISCARDED` (its `cause` is the last error), `REEVE_JOB_CANCELLED`,
   * `REEVE_RESULT_TIMEOUT` and `REEVE_WAIT_ABORTED` (the job goes on), `REEVE_JOB_NOT_FOUND`, `REEVE_RUNTIME_CLOSED`.
   * @example
   * ```ts
   * const { path } = await handle.result({ timeout: '1m' })
   * ```
   */
  async result(options: ResultOptions = {}): Promise<Result> {
    const timeoutMs =
      options.timeout === undefined ? Number.POSITIVE_INFINITY : durationMs(options.timeout, 'timeout', { infinite: true })
    const end = await this.#end(timeoutMs, options.signal)
    if (end.state === 'completed') return decodePayload(end.result) as Result
    throw errorOfEnd(end)
  }

  /**
   * Cancels the job: at once while it waits; while it runs its handler is asked to stop, and after its grace the
   * thread is ended. Resolves when the job is over, and says which way it went. A cancelled job is never tried again.
   *
   * @throws ReeveError `REEVE_JOB_NOT_FOUND`.
   * @example
   * ```ts
   * const { cancelled, state } = await handle.cancel()
   * ```
   */
  async cancel(): Promise<CancelResult> {
    const answer = await this.#services.cancel(this.id)
    if (answer.type === 'not-found') throw notFound(this.id)
    if (answer.type === 'cancelled') return { cancelled: true, state: 'cancelled' }
    if (answer.type === 'already-over') return { cancelled: answer.state === 'cancelled', state: answer.state as TerminalState }
    const { state } = await this.#services.waits.wait(this.id).end
    return { cancelled: state === 'cancelled', state }
  }

  /** The end of the job, unless the wait is cut short before. */
  async #end(timeoutMs: number, signal: AbortSignal | undefined): Promise<JobEnd> {
    if (signal?.aborted === true) throw this.#aborted(signal)
    const { waits, clock } = this.#services
    const { end, stop } = waits.wait(this.id)
    if (timeoutMs === Number.POSITIVE_INFINITY && signal === undefined) return end
    const { promise: cut, reject } = Promise.withResolvers<never>()
    const timer =
      timeoutMs === Number.POSITIVE_INFINITY ? undefined : clock.after(timeoutMs, () => reject(this.#timedOut(timeoutMs)))
    const onAbort = () => reject(this.#aborted(signal))
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([end, cut])
    } finally {
      stop()
      timer?.cancel()
      signal?.removeEventListener('abort', onAbort)
    }
  }

  #timedOut(timeoutMs: number): ReeveError {
    return new ReeveError(
      'REEVE_RESULT_TIMEOUT',
      `Job ${this.id} (${this.kind}) was not over after ${timeoutMs} ms of waiting. The job goes on; wait again, or cancel it.`,
      {
        jobId: this.id,
        kind: this.kind,
      },
    )
  }

  #aborted(signal: AbortSignal | undefined): ReeveError {
    return new ReeveError('REEVE_WAIT_ABORTED', `The wait for job ${this.id} (${this.kind}) was aborted. The job goes on.`, {
      jobId: this.id,
      kind: this.kind,
      cause: signal?.reason,
    })
  }
}

/** For an id that no row has. */
export function notFound(id: string): ReeveError {
  return new ReeveError(
    'REEVE_JOB_NOT_FOUND',
    `No job has the id ${id}: it was never enqueued in this database, or was pruned.`,
    { jobId: id },
  )
}
