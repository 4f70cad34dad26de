/** What a handler is given besides its input. Types only; the envelope on the worker thread makes the object. */
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import type { Duration } from '../duration.ts'
import type { EnqueueOptions } from './enqueue-options.ts'
import type { KeyValues } from './key-values.ts'
import type { JobId } from './lease.ts'
import type { HeldLock, LockOptions } from './lock.ts'
import type { Steps } from './steps.ts'
import type { TimingCall } from './timing.ts'

/** The job that a handler works on. */
export interface JobInfo {
  /** The same in every attempt: the key to make effects outside the queue idempotent with. */
  readonly id: JobId
  readonly kind: string
  readonly queue: string
  /** Null where it has none. */
  readonly group: string | null
  /** The job whose handler enqueued it; null where the app did. */
  readonly parent: JobId | null
  /** The first job of its family; null where it is the first itself. */
  readonly root: JobId | null
  readonly correlationId: string | null
  /** When the job was enqueued: wall clock, milliseconds since the Unix epoch. */
  readonly createdAt: number
}

/** What a handler knows of its run. Times are wall clock, milliseconds since the Unix epoch. */
export interface JobRun {
  /** The job's id: the same in every attempt. */
  readonly id: JobId
  /** The schedule that made the job; null where it was enqueued. */
  readonly schedule: string | null
  /** The tick that it was made for; null also where it was triggered by hand. */
  readonly scheduledAt: number | null
  /** The tick after that; null also where there is none. */
  readonly nextAt: number | null
  /** The tick came due while nobody could fire it. */
  readonly isCatchUp: boolean
  /** Until when to take up work, by the kind's `budget`; null without one. */
  readonly deadline: number | null
  /** The same as `ctx.signal`: it aborts at the deadline too. Made when first read. */
  readonly signal: AbortSignal
}

/** Writes one line: a message, or fields (an Error will do) and then a message. */
export interface LogWrite {
  (message: string): void
  (fields: object, message?: string): void
}

/** The levels of pino. Lines travel as messages, so the last ones before a kill arrive too. */
export interface JobLog {
  readonly trace: LogWrite
  readonly debug: LogWrite
  readonly info: LogWrite
  readonly warn: LogWrite
  readonly error: LogWrite
  readonly fatal: LogWrite
}

/**
 * The second parameter of every handler. Its functions may be taken out of it (`run(input, { progress })`).
 * Once the handler's outcome is known the context is dead: `progress` and `log` then do nothing.
 *
 * @example
 * ```ts
 * async run(input: { urls: string[] }, ctx) {
 *   for (const [done, url] of input.urls.entries()) {
 *     await fetch(url, { signal: ctx.signal })
 *     ctx.progress(done / input.urls.length, url)
 *   }
 * }
 * ```
 */
export interface JobContext<Resource = undefined, Env = undefined, Sqlite = undefined> {
  /**
   * Aborts when the handler is asked to stop (cancel, drain, timeout, a lost lease); its reason is a ReeveError
   * `REEVE_ATTEMPT_STOPPED`. Made when first read.
   */
  readonly signal: AbortSignal
  /**
   * The same request for code that never awaits. A plain read of shared memory: cheap inside a hot loop. With
   * `isolation: 'process'` no memory is shared, so it changes only while the event loop turns.
   */
  readonly stopRequested: boolean
  /** Throws the reason of {@link signal} if the handler is asked to stop. */
  throwIfStopped(): void
  /**
   * Tells how far the work is, 0 to 1 (cut to that range; `null` or not a number for unknown), and what it is at.
   * Sent at once, from synchronous code too; the note is cut to 500 characters.
   */
  progress(fraction: number | null, note?: string): void
  /** What the kind's `setup` made on this worker; undefined where it has none. */
  readonly resource: Resource
  /** What the kind's `env` schema made of the environment variables; undefined where it declares none. */
  readonly env: Env
  /**
   * The kind's own database: this worker's connection, of better-sqlite3. What is written there is neither fenced by the lease nor part
   * of the job's settle. Undefined where the kind declares none.
   */
  readonly sqlite: Sqlite
  readonly log: JobLog
  /**
   * Small state that all jobs of the kind share and that outlives them. Each call is a question to the supervisor (two messages
   * and a commit), so it is for hundreds of calls a job, not for millions.
   */
  readonly kv: KeyValues
  /**
   * Runs `fn` while the job holds the named lock, which all processes on the file share. It is free when `fn` has ended, and whenever the
   * attempt is over, however it ends. Waiting for it is work: the timeout goes on. A `ctx.step` that suspends the job lets it go.
   *
   * @throws LockBusyError (`REEVE_LOCK_BUSY`) where it was not to be had within `wait`; ReeveError `REEVE_LOCK_HELD_HERE` from within `fn` itself,
   * `REEVE_OPTION_INVALID`, `REEVE_ATTEMPT_STOPPED`; and what `fn` throws.
   */
  lock<T>(name: string, fn: (lock: HeldLock) => T | Promise<T>, options?: LockOptions): Promise<T>
  /** Cuts the handler into steps that are remembered, and waits that suspend the job. */
  readonly step: Steps
  /**
   * Ends the attempt here, uncharged: the job runs again after the delay, from the beginning, as often as it likes. It throws, so that no code
   * after it runs (write `return ctx.snooze(…)`, and the types know it too); a `catch` on the way changes nothing: once asked for,
   * it is how the attempt ends. So do the next three.
   *
   * @throws ReeveError `REEVE_OPTION_INVALID` for what is no duration; `REEVE_ATTEMPT_STOPPED` once the attempt is over.
   */
  snooze(delay: Duration): never
  /** Snoozes the job and holds its whole queue back for as long: for a service that answers 429 to all of it. */
  backOff(delay: Duration): never
  /** Snoozes the job and holds its group back for as long: for one site of many that answers with a wall. Without a group it only snoozes. */
  releaseGroup(delay: Duration): never
  /** Makes the job a dead letter with this reason, whatever attempts are left. */
  discard(reason: string): never
  /**
   * Enqueues a child of this job, and answers with its id. It is written in the transaction that completes this job, so it is there if
   * and only if the handler has returned: a failed attempt, a lost lease, a cancel leave none. Where its `unique.key` is held then,
   * the holder stands for it, and no job has the id. At most 10,000 jobs, their inputs together no larger than one may be.
   *
   * @throws ReeveError `REEVE_OPTION_INVALID` (also for `unique.conflict` `'reject'` or `'replace'`), `REEVE_PAYLOAD_UNCLONEABLE`,
   * `REEVE_PAYLOAD_TOO_LARGE`, `REEVE_ATTEMPT_STOPPED` once the attempt is over.
   */
  enqueue(kind: string, input?: unknown, options?: EnqueueOptions): JobId
  readonly job: JobInfo
  /** The tick that the job was made for, and until when its handler should take up work. */
  readonly run: JobRun
  /** The same as `ctx.run.deadline`. */
  readonly deadline: number | null
  /** The number of this attempt, from 1. */
  readonly attempt: number
  readonly attemptsMax: number
  /**
   * Node's `spawn`, for a process that ends with the attempt: it is killed by SIGKILL, with all that it started, when
   * the handler returns, throws, is terminated or dies with its thread. (A `spawn` of your own would outlive a timeout.)
   * It always leads a process group of its own, whatever `detached` says; on Windows, which has none, only the process
   * itself is killed. A thread that was terminated leaves its dead ones as zombies until the app ends.
   *
   * @throws ReeveError `REEVE_ATTEMPT_STOPPED` once the attempt is over.
   */
  spawn(command: string, args?: readonly string[], options?: SpawnOptions): ChildProcess
  /** Times a stretch of the run, for `runtime.attempts`: `using _ = ctx.timing('parse')`, or `await ctx.timing('parse', () => …)`. */
  readonly timing: TimingCall
  /** Milliseconds until the timeout, from 0; `Infinity` where there is none. */
  timeRemaining(): number
}
