/**
 * Makes the workers of a pool load the jobs, says in words why one could not, and how long the next one waits. Of a
 * folder it remembers which files took a worker down, so that the next one leaves them out and all other kinds run.
 */
import { join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Timer } from '../clock.ts'
import { ReeveError } from '../errors.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import type { LoadedJobs } from '../job/loaded-jobs.ts'
import type { ChildRegister } from './child-register.ts'
import { decodeError, encodeError } from './error-codec.ts'
import { startTimeOf } from './process-group.ts'
import type { HelloReply } from './protocol.ts'
import type { Thread } from './thread.ts'
import type { TimerSet } from './timer-set.ts'
import type { WorkerPoolOptions } from './worker-pool-options.ts'

/** After the first failed load the next thread is opened this much later, doubled with each further failure. */
const reloadDelayMinMs = 100
const reloadDelayMaxMs = 30_000

/** What loading needs. */
export interface LoadOptions {
  readonly pool: WorkerPoolOptions
  readonly timers: TimerSet
  readonly register: ChildRegister
}

/** How a load ended. `died`: the thread's end tells of it. */
export type LoadEnd =
  | { readonly type: 'loaded'; readonly jobs: LoadedJobs }
  | { readonly type: 'failed'; readonly error: ErrorRecord }
  | { readonly type: 'died' }

/** The loads of one pool. */
export class Loads {
  readonly #options: LoadOptions
  readonly #leftOut: Map<string, ErrorRecord>
  readonly #delayed = new Set<Timer>()
  /** The files that a worker was told to leave out: it cannot have died of those, unless another file imports them. */
  readonly #skipped = new WeakMap<Thread, ReadonlySet<string>>()
  #failures = 0

  constructor(options: LoadOptions) {
    this.#options = options
    this.#leftOut = options.pool.leftOut ?? new Map()
  }

  /** Opens a worker at once, or after a delay that grows with each failure in a row. */
  inTime(open: () => void): void {
    if (this.#failures === 0) return open()
    const delayMs = Math.min(reloadDelayMinMs * 2 ** (this.#failures - 1), reloadDelayMaxMs)
    const timer = this.#options.timers.after(delayMs, () => {
      this.#delayed.delete(timer)
      open()
    })
    this.#delayed.add(timer)
  }

  /** How many workers are to be opened when their delay is over. */
  get delayedCount(): number {
    return this.#delayed.size
  }

  /** None of them is to be waited for any more. */
  hurry(): void {
    for (const timer of this.#delayed) timer.cancel()
    this.#delayed.clear()
  }

  /** A load failed. */
  failed(): void {
    this.#failures++
  }

  /** A worker is of use: whatever failed is over. */
  worked(): void {
    this.#failures = 0
  }

  /** The files may have changed: all of them are tried again, at once. */
  forget(): void {
    this.#failures = 0
    this.#leftOut.clear()
  }

  /** Makes a worker load the jobs. Never rejects. */
  async load(thread: Thread): Promise<LoadEnd> {
    const { pool, timers, register } = this.#options
    const { jobsUrl, payloadBytesMax, logLevel, niceness, loadTimeoutMs } = pool
    const late = Promise.withResolvers<HelloReply>()
    const arm = () => timers.after(loadTimeoutMs, () => late.resolve(this.#timedOut(thread)))
    let timer = arm()
    const nextFile = () => {
      timer.cancel()
      timer = arm()
    }
    try {
      const { pid } = thread.carrier
      // On record before it can have a job, so that whoever takes the job over after us finds it.
      if (pid !== null) await register.childStarted({ pid, startTime: startTimeOf(pid) })
      this.#skipped.set(thread, new Set(this.#leftOut.keys()))
      const skip = Object.fromEntries(this.#leftOut)
      const settings = { jobsUrl, skip, payloadBytesMax, logLevel, niceness, setupMaxMs: loadTimeoutMs }
      const reply = await Promise.race([thread.hello(settings, nextFile), late.promise])
      if (thread.dying) return { type: 'died' }
      if (!reply.ok) return { type: 'failed', error: reply.error }
      return { type: 'loaded', jobs: { catalog: reply.catalog, prints: reply.prints, failed: reply.failed } }
    } catch (error) {
      return thread.dying ? { type: 'died' } : { type: 'failed', error: encodeError(error) }
    } finally {
      timer.cancel()
    }
  }

  /**
   * Lays the end of a worker that had no job yet to a file of the folder: to the one that the error names, else to the one that it
   * was importing. False where there is none.
   */
  leaveOut(thread: Thread, cause: ErrorRecord): boolean {
    const named = this.#fileNamedIn(cause)
    const file = named === null || this.#skipped.get(thread)?.has(named) ? thread.loading : named
    if (file === null) return false
    const message = `${file} ended the worker that had loaded it, and is left out until the next reload: ${cause.message}`
    const subject = { kind: parse(file).name, cause: decodeError(cause) }
    this.#leftOut.set(file, encodeError(new ReeveError('REEVE_JOBS_UNLOADABLE', message, subject)))
    return true
  }

  /** In words, for a thread that died with the jobs and before it had one to run. */
  diedUnused(cause: ErrorRecord): ErrorRecord {
    const message = `A thread died while it loaded ${this.#options.pool.jobsUrl}, or soon after: ${cause.message}`
    return encodeError(new ReeveError('REEVE_JOBS_UNLOADABLE', message, { cause: decodeError(cause) }))
  }

  /** A timer or a forgotten promise of one file may throw while another one loads, or later. */
  #fileNamedIn(cause: ErrorRecord): string | null {
    const { jobsUrl } = this.#options.pool
    if (!jobsUrl.startsWith('file:')) return null
    const folder = fileURLToPath(jobsUrl).replace(/[/\\]$/, '')
    for (const rest of `${cause.stack ?? ''}\n${cause.cause?.stack ?? ''}`.split(`${folder}/`).slice(1)) {
      const name = /^([^/\s:]+):\d/.exec(rest)?.[1]
      if (name !== undefined) return join(folder, name)
    }
    return null
  }

  #timedOut(thread: Thread): HelloReply {
    const { jobsUrl, loadTimeoutMs } = this.#options.pool
    const what = thread.loading ?? `The jobs module ${jobsUrl}`
    const message = `${what} did not load within ${loadTimeoutMs} ms: look for an endless loop at its top level or a top-level await that never settles.`
    return { ok: false, error: encodeError(new ReeveError('REEVE_JOBS_UNLOADABLE', message)) }
  }
}

/** A thread died before it could take any task: a preload that throws, too little memory. */
export function neverUp(cause: ErrorRecord): ErrorRecord {
  return { ...cause, message: `A worker ended while it started: ${cause.message}` }
}
