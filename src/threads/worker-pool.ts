/**
 * The pool itself, whatever carries its workers: how many there are, which one takes a run, when one may load the jobs
 * module, and what happens where it cannot. A worker's own life is in `thread.ts`.
 */
import type { Clock } from '../clock.ts'
import { ReeveError } from '../errors.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import type { KindCatalog } from '../job/kind.ts'
import type { CarrierSource } from './carrier.ts'
import { type ChildRegister, noRegister } from './child-register.ts'
import { decodeError } from './error-codec.ts'
import { diedUnused, loadJobsOn, neverUp, reloadDelayMs } from './load.ts'
import { type MemoryLimit, MemoryWatch } from './memory-watch.ts'
import type { Assignment } from './protocol.ts'
import { SpawnRecord } from './spawn-record.ts'
import { type JobName, Thread, type ThreadOwner } from './thread.ts'
import type { CloseOptions, PoolListener, Run, RunListener, ThreadPool } from './thread-pool.ts'
import { TimerSet } from './timer-set.ts'

/** What every pool is made of. */
export interface WorkerPoolOptions {
  /** How many threads, from 0; more can be asked for later. Condemned ones are not counted. */
  readonly threads: number
  /** `file:` URL of the jobs module. */
  readonly jobsUrl: string
  readonly clock: Clock
  /** How long a thread may take to start and to load the jobs module; bounded from outside, since a module can spin. */
  readonly loadTimeoutMs: number
  /** The cap on one result. */
  readonly payloadBytesMax: number
  /** How far the threads give way to others: 0 (not at all) to 19, on Linux. */
  readonly niceness: number
  /** Log records below this pino level number are not sent; `Infinity` sends none. */
  readonly logLevel: number
  /** The environment variables of the threads; default a copy of the process's own. */
  readonly env?: NodeJS.ProcessEnv
  /** Where the processes that handlers start are recorded; default nowhere. */
  readonly children?: ChildRegister
}

/** How the carriers of a pool are made and understood. */
export interface CarrierKind {
  source(failed: (error: unknown) => void): CarrierSource
  /** What an `error` of a carrier was, in words that help. */
  deathOf(error: unknown): ErrorRecord
  readonly memoryLimit: MemoryLimit | null
}

/**
 * A pool of real workers. Nothing runs until `open` is called. An open pool keeps its own thread alive; after `close`
 * nothing is left, but for condemned threads where it was told to leave those.
 */
export class WorkerPool implements ThreadPool {
  readonly #options: WorkerPoolOptions
  readonly #kind: CarrierKind
  readonly #register: ChildRegister
  /** What the threads see of the pool. */
  readonly #owner: ThreadOwner
  readonly #threads = new Set<Thread>()
  /** A stack: the thread that worked last has the warmest caches. */
  readonly #idle: Thread[] = []
  readonly #timers: TimerSet
  readonly #memory: MemoryWatch | null
  #source: CarrierSource | null = null
  #listener: PoolListener | null = null
  #opening: Opening | null = null
  #target: number
  /** Threads that are to be opened once their delay is over. */
  #delayed = 0
  #failedLoads = 0
  #closing: PromiseWithResolvers<void> | null = null
  #leaveCondemned = false

  constructor(options: WorkerPoolOptions, kind: CarrierKind) {
    this.#options = options
    this.#kind = kind
    this.#register = options.children ?? noRegister
    this.#target = options.threads
    this.#timers = new TimerSet(options.clock)
    this.#memory = kind.memoryLimit && new MemoryWatch(options.clock, kind.memoryLimit, this.#threads)
    this.#owner = {
      now: () => options.clock.mono(),
      deathOf: (error) => kind.deathOf(error),
      free: (thread) => this.#free(thread),
      leaving: (thread) => this.#leaving(thread),
      condemned: () => this.#condemnedChanged(),
      lateFault: (job, error) => this.#lateFault(job, error),
      spawns: new SpawnRecord(this.#register),
      ended: (thread) => this.#ended(thread),
    }
  }

  open(listener: PoolListener): Promise<KindCatalog> {
    this.#listener = listener
    return new Promise((resolve, reject) => {
      if (this.#target === 0) resolve({})
      else this.#opening = { resolve, reject, failures: [] }
      this.#source = this.#kind.source((error) => this.#fail(error))
      this.#openMissing()
    })
  }

  /** From now on there are to be this many threads; those that are too many go when they are idle. */
  resize(threads: number): void {
    this.#target = threads
    this.#openMissing()
    // The one that has been idle for longest.
    while (this.#usableCount() > threads && this.#idle[0] !== undefined) this.#retire(this.#idle[0])
  }

  idleCount(): number {
    return this.#idle.length
  }

  threadCount(): number {
    return this.#threads.size
  }

  condemnedCount(): number {
    let count = 0
    for (const thread of this.#threads) if (thread.condemned) count++
    return count
  }

  start(assignment: Omit<Assignment, 'run'>, listener: RunListener): Run {
    const thread = this.#idle.pop()
    if (thread === undefined) throw new Error('No thread is idle: ask idleCount first.')
    return thread.start(assignment, listener)
  }

  close({ leaveCondemned = false }: CloseOptions = {}): Promise<void> {
    this.#leaveCondemned ||= leaveCondemned
    if (this.#closing === null) {
      this.#closing = Promise.withResolvers()
      this.#endAll()
    }
    const { promise } = this.#closing
    this.#checkClosed()
    return promise
  }

  // What the threads tell.

  #free(thread: Thread): void {
    this.#failedLoads = 0
    this.#offer(thread)
  }

  #leaving(thread: Thread): void {
    const index = this.#idle.indexOf(thread)
    if (index >= 0) this.#idle.splice(index, 1)
  }

  #condemnedChanged(): void {
    // First of all: whoever owns the pool may answer by asking for fewer threads.
    this.#listener?.condemnedChanged(this.condemnedCount(), false)
    this.#openMissing()
    this.#checkClosed()
  }

  #lateFault(job: JobName | null, error: ErrorRecord): void {
    if (job === null) this.#unusable(error)
    else if (this.#closing === null) this.#listener?.lateFault({ jobId: job.id, kind: job.kind, error })
  }

  #ended(thread: Thread): void {
    this.#threads.delete(thread)
    const { pid, up } = thread.carrier
    if (pid !== null) this.#register.childEnded(pid)
    if (!up && !thread.killed) this.#neverUp(neverUp(thread.describeEnd('while it started')))
    else if (thread.diedUnused) this.#unusable(diedUnused(this.#options.jobsUrl, thread.describeEnd('before it had a job')))
    if (thread.condemned) this.#condemnedChanged()
    this.#openMissing()
    this.#checkClosed()
  }

  // Opening and replacing.

  #usableCount(): number {
    return this.#threads.size - this.condemnedCount()
  }

  #openMissing(): void {
    if (this.#closing !== null) return
    while (this.#usableCount() + this.#delayed < this.#target) {
      if (this.#failedLoads === 0) this.#openOne()
      else {
        this.#delayed++
        this.#timers.after(reloadDelayMs(this.#failedLoads), () => {
          this.#delayed--
          if (this.#usableCount() < this.#target) this.#openOne()
        })
      }
    }
  }

  #openOne(): void {
    if (this.#source === null) return
    const thread = new Thread(this.#source.open(), this.#owner)
    this.#threads.add(thread)
    void this.#load(thread)
  }

  async #load(thread: Thread): Promise<void> {
    const { jobsUrl, payloadBytesMax, logLevel, niceness, loadTimeoutMs } = this.#options
    const settings = { jobsUrl, payloadBytesMax, niceness, logLevel }
    const reply = await loadJobsOn(thread, { ...settings, loadTimeoutMs, timers: this.#timers, register: this.#register })
    if (reply === null || this.#closing !== null) return
    if (reply.ok) this.#loaded(thread, reply.catalog)
    else this.#discard(thread, reply.error)
  }

  #loaded(thread: Thread, catalog: KindCatalog): void {
    const opening = this.#opening
    this.#opening = null
    opening?.resolve(catalog)
    for (const failure of opening?.failures ?? []) this.#listener?.threadUnusable(failure)
    this.#memory?.start()
    this.#offer(thread)
  }

  #offer(thread: Thread): void {
    if (this.#usableCount() > this.#target) return this.#retire(thread)
    this.#idle.push(thread)
    this.#listener?.threadIdle()
  }

  #retire(thread: Thread): void {
    this.#leaving(thread)
    thread.kill()
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

  /** Not even our own code was loaded: that is for the owner of the pool to judge, unless it is still being opened. */
  #neverUp(error: ErrorRecord): void {
    if (this.#opening !== null) return this.#unusable(error)
    this.#failedLoads++
    this.#fail(decodeError(error))
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

  #endAll(): void {
    this.#opening?.reject(
      new ReeveError('REEVE_RUNTIME_CLOSED', 'The pool was closed before a thread had loaded the jobs module.'),
    )
    this.#opening = null
    this.#memory?.stop()
    this.#timers.cancelAll()
    this.#idle.length = 0
    for (const thread of this.#threads) thread.kill()
  }

  #checkClosed(): void {
    if (this.#closing === null) return
    const left = [...this.#threads]
    if (!left.every((thread) => this.#leaveCondemned && thread.condemned)) return
    for (const thread of left) thread.carrier.unref()
    this.#closing.resolve()
  }
}

/** What waits for the first thread to load. */
interface Opening {
  readonly resolve: (catalog: KindCatalog) => void
  readonly reject: (error: unknown) => void
  readonly failures: ErrorRecord[]
}
