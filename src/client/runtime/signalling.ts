/** The line of a runtime that tells waiting jobs what they wait for, and shows the steps of jobs. */
import { optionInvalid, ReeveError } from '../../errors.ts'
import type { Jobs } from '../../job/definition.ts'
import type { JobId } from '../../job/lease.ts'
import { encodePayload } from '../../job/payload.ts'
import { complaintOfName } from '../../job/step.ts'
import { realRandom } from '../../random.ts'
import type { EmittedEvent } from '../../supervisor/calls/steps.ts'
import { notFound } from '../job-handle.ts'
import { type StepSnapshot, stepSnapshotOf } from '../step-snapshot.ts'
import { Following } from './following.ts'

/** The options of {@link Signalling.emit}. */
export interface EmitOptions {
  /** What the event is about (an order's number, say): waits with this `match` take it, and those without any. */
  readonly key?: string
}

/** An event that was kept. */
export interface Emitted {
  readonly id: string
}

/** Emits events, signals jobs, shows steps. */
export abstract class Signalling<J extends Jobs> extends Following<J> {
  /**
   * Keeps an event, and lets every job go on that waits for it (`ctx.step.waitForEvent`). A job that was enqueued before it and comes
   * to its wait later takes it then, as long as it is kept: for the runtime's `eventKeep`, and of the latest 100,000.
   *
   * @throws ReeveError `REEVE_OPTION_INVALID`, `REEVE_PAYLOAD_UNCLONEABLE`, `REEVE_PAYLOAD_TOO_LARGE`, `REEVE_DATABASE_…`.
   * @example
   * ```ts
   * await runtime.emit('order.approved', { by: 'ann' }, { key: orderId })
   * ```
   */
  async emit(event: string, payload?: unknown, options: EmitOptions = {}): Promise<Emitted> {
    if (typeof options !== 'object' || options === null) throw optionInvalid('options', options, 'an object with key')
    const { key } = options
    const complaint = key === undefined ? undefined : complaintOfName(key)
    if (complaint !== undefined) throw optionInvalid('key', key, complaint)
    const emitted = this.#eventOf('event', event, payload)
    await this.core.thread.call((calls) => calls.emit({ ...emitted, key: key ?? null, to: null }))
    return { id: emitted.id }
  }

  /**
   * Sends an event to one job: a wait of its own for that name takes it, whatever its `match`, now or when it comes to it. It is kept
   * as long as the job is there.
   *
   * @throws ReeveError `REEVE_JOB_NOT_FOUND`; `REEVE_SIGNAL_REFUSED` where the job is over, or was sent 10,000 signals; else as
   * {@link Signalling.emit}.
   * @example
   * ```ts
   * await runtime.signal(handle.id, 'order.approved', { by: 'ann' })
   * ```
   */
  async signal(jobId: string, name: string, payload?: unknown): Promise<Emitted> {
    const emitted = this.#eventOf('name', name, payload)
    const outcome = await this.core.thread.call((calls) => calls.emit({ ...emitted, key: null, to: jobId as JobId }))
    if (outcome === 'not-found') throw notFound(jobId)
    if (outcome !== 'kept') {
      const why = outcome === 'over' ? 'it is over' : 'it was sent as many as it may have'
      throw new ReeveError('REEVE_SIGNAL_REFUSED', `Job ${jobId} cannot take the signal '${name}': ${why}.`, { jobId })
    }
    return { id: emitted.id }
  }

  /**
   * The steps of a job, in the order in which they were first written; null where no job has this id.
   *
   * @example
   * ```ts
   * for (const { name, state, durationMs } of (await runtime.steps(handle.id)) ?? []) console.log(name, state, durationMs)
   * ```
   */
  async steps(id: string): Promise<readonly StepSnapshot[] | null> {
    const rows = await this.core.thread.call((calls) => calls.steps(id as JobId))
    return rows === null ? null : rows.map(stepSnapshotOf)
  }

  #eventOf(option: string, name: string, payload: unknown): Pick<EmittedEvent, 'id' | 'event' | 'payload'> {
    this.core.refuseClosed()
    const complaint = complaintOfName(name)
    if (complaint !== undefined) throw optionInvalid(option, name, complaint)
    return {
      id: realRandom.id(this.core.clock.wall()),
      event: name,
      payload: encodePayload(payload, this.core.payloadBytesMax),
    }
  }
}
