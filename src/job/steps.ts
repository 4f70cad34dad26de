/** `ctx.step`: what a handler can cut its work into. Types only; the envelope on the worker makes the object. */
import type { Duration } from '../duration.ts'
import type { EnqueueOptions } from './enqueue-options.ts'
import type { RetryOptions } from './retry-options.ts'

/** What the function of a step is given. */
export interface StepContext {
  /** Aborts when the step's own timeout is over, and when the handler is asked to stop. */
  readonly signal: AbortSignal
  /** Which try this is, from 1. */
  readonly attempt: number
}

/** The options of {@link Steps.run}. */
export interface StepRunOptions {
  /** How often the function is tried within the attempt, and the waits between; default once. */
  readonly retry?: RetryOptions
  /**
   * How long one try may take: its signal aborts, and the step fails with `REEVE_STEP_TIMED_OUT`. Code that does not listen goes on
   * until the attempt ends; only the attempt's own timeout stops it. Default: no bound.
   */
  readonly timeout?: Duration
}

/** The options of {@link Steps.waitForEvent}. */
export interface WaitForEventOptions {
  /** The name of the event, of `runtime.emit` or `runtime.signal`. */
  readonly event: string
  /** Only an event that was emitted with this `key`; default any. A signal to this job always matches. */
  readonly match?: string
  /** How long to wait, days and weeks too; default for ever. */
  readonly timeout?: Duration
}

/** A kind of the same jobs module, as `job()` made it. */
export interface KindToInvoke<Input, Result> {
  readonly '~types'?: { readonly input: Input; readonly result: Result }
}

/** The options of {@link Steps.invoke}: those of an enqueue that a wait can have. */
export type InvokeOptions = Pick<EnqueueOptions, 'priority' | 'delay' | 'runAt' | 'queue' | 'timeout' | 'retry'>

/**
 * Cuts a handler into steps that are remembered for the life of the job. A step that has ended is not done again: in a later run of
 * the handler (after a failure, a crash, a wait) it returns at once what it returned. All else in the handler runs again.
 *
 * The waits *suspend* the job: it leaves its thread, holds no lease and is charged no attempt, and goes on in a new run of the handler,
 * after days and restarts too. A name stands for one step of the job: in a loop, put the number into it.
 *
 * What runs beside a wait and is not a step (a `fetch` of its own, say) is cut off when the job is suspended; `ctx.signal` aborts then.
 *
 * @example
 * ```ts
 * async run({ orderId }: { orderId: string }, { step }) {
 *   const payment = await step.run('charge', () => charge(orderId))
 *   const approval = await step.waitForEvent('approval', { event: 'order.approved', match: orderId, timeout: '3d' })
 *   if (approval === null) return step.run('refund', () => refund(payment.id))
 *   await step.sleep('cool-off', '1h')
 *   return step.run('ship', () => ship(orderId))
 * }
 * ```
 */
export interface Steps {
  /**
   * Runs a function once for the life of the job and remembers what it returns, as results are stored. Its effects should be
   * idempotent all the same: a crash between its end and the commit runs it again. An error is thrown into the handler as it is;
   * it is remembered only where the handler goes on from it to another step, so an attempt that fails by it tries the step again.
   *
   * @throws ReeveError `REEVE_STEP_DUPLICATE`, `REEVE_STEP_CHANGED`, `REEVE_STEP_TIMED_OUT`, `REEVE_STEPS_TOO_MANY`,
   * `REEVE_PAYLOAD_UNCLONEABLE`, `REEVE_PAYLOAD_TOO_LARGE`, `REEVE_OPTION_INVALID`.
   */
  run<T>(name: string, fn: (step: StepContext) => T | Promise<T>, options?: StepRunOptions): Promise<T>
  /** Suspends the job for a time, counted from the commit that suspends it. */
  sleep(name: string, duration: Duration): Promise<void>
  /** Suspends the job until a moment of the wall clock: a Date, or milliseconds since the Unix epoch. */
  sleepUntil(name: string, moment: Date | number): Promise<void>
  /**
   * Suspends the job until an event comes, and resolves with its payload, or with null after the timeout. It takes exactly one: the
   * oldest that matches, was emitted after the job was enqueued (before this wait, too) and was taken by no other wait of this job.
   */
  waitForEvent<Payload = unknown>(name: string, options: WaitForEventOptions): Promise<Payload | null>
  /**
   * Enqueues a job and suspends this one until it is over; resolves with its result. The kind is a name, or what `job()` made of it,
   * which gives the types. The job is one like any other, with attempts of its own; a cancel of this one leaves it alone.
   *
   * @throws ReeveError `REEVE_STEP_INVOKE_FAILED` that names the job, where it was discarded, cancelled or deleted. An attempt that
   * fails by it invokes another job in the next one.
   */
  invoke<Input, Result>(name: string, kind: KindToInvoke<Input, Result>, input: Input, options?: InvokeOptions): Promise<Result>
  invoke<Result = unknown>(name: string, kind: string, input?: unknown, options?: InvokeOptions): Promise<Result>
}
