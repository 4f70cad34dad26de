/**
 * The real pool. Which thread takes a run, when a thread may load the jobs module, and what happens where it cannot,
 * are decided here; a thread's own life is in `thread.ts`, and what piscina does for us in `piscina-threads.ts`.
 */
import type { MessagePort, Worker } from 'node:worker_threads'
import type { Clock, Timer } from '../clock.ts'
import { ReeveError } from '../errors.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import type { KindCatalog } from '../job/kind.ts'
import { decodeError, encodeError } from './error-codec.ts'
import { PiscinaThreads } from './piscina-threads.ts'
import type { Assignment, WorkerTask } from './protocol.ts'
import type { ResourceLimits } from './resource-limits.ts'
import { type JobName, Thread, type ThreadOwner } from './thread.ts'
import type { PoolListener, Run, RunListener, ThreadPool } from './thread-pool.ts'

/** What a pool is made of. */
export interface PoolOptions {
  /** How many threads, from 1. */
  readonly threads: number
  /** `file:` URL of the jobs module. */
  readonly jobsUrl: string
  readonly clock: Clock
  readonly resourceLimits?: ResourceLimits
  /** How long a thread may take to start and to load the jobs module; bounded from outside, since a module can spin. */
  readonly loadTimeoutMs: number
  /** How far the threads give way to others: 0 (not at all) to 19, on Linux. */
  readonly niceness: number
  /** The cap on one result. */
  readonly payloadBytesMax: number
  /** Log records below this pino level number are not sent; `Infinity` sends none. */
  readonly logLevel: number
  /** The environment variables of the threads; default a copy of the process's own. */
  readonly env?: NodeJS.ProcessEnv
}

/** After the first failed load the next thread loads this much later, doubled with each further failure. */
const reloadDelayMinMs = 100
const reloadDelayMaxMs = 30_000

/**
 * A pool of real threads. Nothing runs until `open` is called. An open pool keeps its own thread alive; after `close`
 * nothing is left.
 */
export class PiscinaPool implements ThreadPool {
  readonly #options: PoolOptions
  /** What the threads see of the pool. */
  readonly #owner: ThreadOwner
  readonly #threads = new Set<Thread>()
  /** A stack: the thread that worked last has the warmest caches. */
  readonly #idle: Thread[] = []
  readonly #timers = new Set<Timer>()
  #piscina: PiscinaThreads | null = null
  #listener: PoolListener | null = null
  #opening: Opening | null = null
  #failedLoads = 0
  #closing: Promise<void> | null = null
  #allEnded: () => void = () => {}

  constructor(options: PoolOptions) {
    this.#options = options
    this.#owner = {
      resourceLimits: options.resourceLimits,
      send: (thread, task, transfer) => this.#send(thread, task, transfer),
      free: (thread) => this.#free(thread),
      leaving: (thread) => this.#leaving(thread),
      lateFault: (job, error) => this.#lateFault(job, error),
      ended: (thread) => this.#ended(thread),
    }
  }

  open(listener: PoolListener): Promise<KindCatalog> {
    this.#listener = listener
    return new Promise((resolve, reject) => {
      this.#opening = { resolve, reject, failures: [] }
      this.#piscina = new PiscinaThreads(this.#options, {
        opened: (worker) => this.#welcome(worker),
        failed: (error) => this.#fail(error),
      })
    })
  }

  idleCount(): number {
    return this.#idle.length
  }

  threadCount(): number {
    const workers = new Set<Worker>(this.#piscina?.workers)
    for (const thread of this.#threads) workers.add(thread.worker)
    return workers.size
  }

  start(assignment: Omit<Assignment, 'run'>, listener: RunListener): Run {
    const thread = this.#idle.pop()
    if (thread === undefined) throw new Error('No thread is idle: ask idleCount first.')
    return thread.start(assignment, listener)
  }

  close(): Promise<void> {
    this.#closing ??= this.#endAll()
    return this.#closing
  }

  // What the threads tell.

  #send(thread: Thread, task: WorkerTask, transfer?: MessagePort[]): Promise<unknown> {
    if (this.#piscina === null) throw new Error('The pool is not open.')
    return this.#piscina.send(thread.id, task, transfer)
  }

  #free(thread: Thread): void {
    this.#failedLoads = 0
    this.#offer(thread)
  }

  #leaving(thread: Thread): void {
    const index = this.#idle.indexOf(thread)
    if (index >= 0) this.#idle.splice(index, 1)
  }

  #lateFault(job: JobName | null, error: ErrorRecord): void {
    if (job === null) this.#unusable(error)
    else if (this.#closing === null) this.#listener?.lateFault({ jobId: job.id, kind: job.kind, error })
  }

  #ended(thread: Thread): void {
    this.#threads.delete(thread)
    if (thread.diedUnused) this.#unusable(diedUnused(this.#options.jobsUrl, thread.describeEnd('before it had a job')))
    if (this.#threads.size === 0) this.#allEnded()
  }

  // Opening and replacing.

  #welcome(worker: Worker): void {
    if (this.#closing !== null) return
    const thread = new Thread(worker, this.#owner)
    this.#threads.add(thread)
    // Not in this turn: piscina tells of a new thread just before it is ready to hand tasks to it.
    if (this.#failedLoads === 0) this.#options.clock.nextTurn(() => void this.#load(thread))
    else this.#after(reloadDelayMs(this.#failedLoads), () => void this.#load(thread))
  }

  async #load(thread: Thread): Promise<void> {
    const { jobsUrl, payloadBytesMax, logLevel, niceness, loadTimeoutMs } = this.#options
    if (thread.dying || this.#closing !== null) return
    let late = false
    const timer = this.#after(loadTimeoutMs, () => {
      late = true
      this.#discard(thread, loadTimedOut(jobsUrl, loadTimeoutMs))
    })
    try {
      const reply = await thread.hello({ jobsUrl, payloadBytesMax, logLevel, niceness })
      if (late || thread.dying || this.#closing !== null) return
      if (reply.ok) this.#loaded(thread, reply.catalog)
      else this.#discard(thread, reply.error)
    } catch {
      // The thread died on the way: `ended` tells of it once it has exited.
    } finally {
      timer.cancel()
      this.#timers.delete(timer)
    }
  }

  #loaded(thread: Thread, catalog: KindCatalog): void {
    const opening = this.#opening
    this.#opening = null
    opening?.resolve(catalog)
    for (const failure of opening?.failures ?? []) this.#listener?.threadUnusable(failure)
    this.#offer(thread)
  }

  #offer(thread: Thread): void {
    this.#idle.push(thread)
    this.#listener?.threadIdle()
  }

  #discard(thread: Thread, error: ErrorRecord): void {
    thread.kill()
    this.#unusable(error)
  }

  /** While the pool opens, failures are kept: it fails with the first one if all first threads fail. */
  #unusable(error: ErrorRecord): void {
    if (this.#closing !== null) return
    this.#failedLoads++
    const opening = this.#opening
    if (opening === null) return this.#listener?.threadUnusable(error)
    opening.failures.push(error)
    if (opening.failures.length >= this.#options.threads) this.#fail(decodeError(opening.failures[0] ?? error))
  }

  /** The pool cannot go on: while it opens that is open's answer, later the listener is told. */
  #fail(error: unknown): void {
    if (this.#closing !== null) return
    const opening = this.#opening
    this.#opening = null
    if (opening === null) return this.#listener?.failed(error)
    this.close().then(() => opening.reject(error), opening.reject)
  }

  // Closing.

  async #endAll(): Promise<void> {
    this.#opening?.reject(
      new ReeveError('REEVE_RUNTIME_CLOSED', 'The pool was closed before a thread had loaded the jobs module.'),
    )
    this.#opening = null
    for (const timer of this.#timers) timer.cancel()
    this.#idle.length = 0
    for (const thread of this.#threads) thread.kill()
    const piscina = this.#piscina
    if (piscina === null) return
    // Again and again: a thread that was dying when piscina was destroyed makes it open a new one at its exit.
    do {
      await piscina.destroy()
      if (this.#threads.size > 0) await new Promise<void>((resolve) => (this.#allEnded = resolve))
    } while (piscina.workers.length > 0)
  }

  #after(ms: number, run: () => void): Timer {
    const timer = this.#options.clock.after(ms, () => {
      this.#timers.delete(timer)
      run()
    })
    this.#timers.add(timer)
    return timer
  }
}

/** What waits for the first thread to load. */
interface Opening {
  readonly resolve: (catalog: KindCatalog) => void
  readonly reject: (error: unknown) => void
  readonly failures: ErrorRecord[]
}

function reloadDelayMs(failedLoads: number): number {
  return Math.min(reloadDelayMinMs * 2 ** (failedLoads - 1), reloadDelayMaxMs)
}

function loadTimedOut(jobsUrl: string, loadTimeoutMs: number): ErrorRecord {
  const message = `The jobs module ${jobsUrl} did not load within ${loadTimeoutMs} ms: look for an endless loop at its top level or a top-level await that never settles.`
  return encodeError(new ReeveError('REEVE_JOBS_UNLOADABLE', message))
}

function diedUnused(jobsUrl: string, cause: ErrorRecord): ErrorRecord {
  const message = `A thread died while it loaded ${jobsUrl}, or soon after: ${cause.message}`
  return encodeError(new ReeveError('REEVE_JOBS_UNLOADABLE', message, { cause: decodeError(cause) }))
}
