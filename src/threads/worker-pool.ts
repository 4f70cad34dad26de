/**
 * The pool itself, whatever carries its workers: how many there are, which one takes a run, when one may load the jobs,
 * what happens where it cannot, and how all of them are replaced. A worker's own life is in `thread.ts`.
 */
import { ReeveError } from '../errors.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import type { LoadedJobs } from '../job/loaded-jobs.ts'
import type { CarrierSource } from './carrier.ts'
import { type ChildRegister, noRegister } from './child-register.ts'
import { Dismissals } from './dismissals.ts'
import { decodeError } from './error-codec.ts'
import { Loads, neverUp } from './load.ts'
import { MemoryWatch } from './memory-watch.ts'
import type { Assignment } from './protocol.ts'
import { Renewal } from './renewal.ts'
import { SpawnRecord } from './spawn-record.ts'
import { type JobName, Thread, type ThreadOwner } from './thread.ts'
import type { CloseOptions, PoolListener, Run, RunListener, ThreadPool } from './thread-pool.ts'
import { TimerSet } from './timer-set.ts'
import type { CarrierKind, WorkerPoolOptions } from './worker-pool-options.ts'

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
  readonly #loads: Loads
  readonly #dismissals: Dismissals
  readonly #memory: MemoryWatch | null
  #source: CarrierSource | null = null
  #listener: PoolListener | null = null
  #opening: Opening | null = null
  #target: number
  readonly #renewal = new Renewal()
  #closing: PromiseWithResolvers<void> | null = null
  #leaveCondemned = false

  constructor(options: WorkerPoolOptions, kind: CarrierKind) {
    this.#options = options
    this.#kind = kind
    this.#register = options.children ?? noRegister
    this.#target = options.threads
    this.#timers = new TimerSet(options.clock)
    this.#loads = new Loads({ pool: options, timers: this.#timers, register: this.#register })
    this.#dismissals = new Dismissals(options.clock)
    this.#memory = kind.memoryLimit && new MemoryWatch(options.clock, kind.memoryLimit, this.#threads)
    this.#owner = {
      now: () => options.clock.mono(),
      deathOf: (error) => kind.deathOf(error),
      free: (thread) => {
        this.#loads.worked()
        this.#offer(thread)
      },
      leaving: (thread) => this.#leaving(thread),
      condemned: () => this.#condemnedChanged(),
      lateFault: (job, error, thread) => this.#lateFault(job, error, thread),
      dismissed: (thread) => this.#dismissals.begun(thread),
      resourceFailed: (error) => this.#listener?.resourceFailed(error),
      spawns: new SpawnRecord(this.#register),
      ended: (thread) => this.#ended(thread),
    }
  }

  open(listener: PoolListener): Promise<LoadedJobs> {
    this.#listener = listener
    return new Promise((resolve, reject) => {
      if (this.#target === 0) resolve({ catalog: {}, prints: {}, failed: [] })
      else this.#opening = { resolve, reject, failures: [] }
      this.#source = this.#kind.source((error) => this.#fail(error))
      this.#openMissing()
    })
  }

  recycle(): Promise<LoadedJobs> {
    if (this.#closing !== null) return Promise.reject(closedWhileLoading())
    this.#loads.forget()
    return this.#renewal.begin((generation) => this.#openOne(generation))
  }

  /** From this call on nothing starts on a thread that is stale by it. What runs goes on, and its thread is replaced afterwards. */
  renew(): void {
    this.#renewal.advance()
    this.#loads.worked()
    this.#loads.hurry()
    for (const thread of this.#threads) if (this.#renewal.isStale(thread) && !thread.busy && !thread.dying) thread.retire()
    this.#openMissing()
  }

  /** From now on there are to be this many threads; those that are too many go when they are idle. */
  resize(threads: number): void {
    this.#target = threads
    this.#openMissing()
    // The one that has been idle for longest.
    while (this.#usableCount() > threads && this.#idle[0] !== undefined) this.#idle[0].retire()
  }

  idleCount(): number {
    return this.#idle.length
  }

  threadCount(): number {
    return this.#threads.size
  }

  condemnedCount(): number {
    return this.#count((thread) => thread.condemned)
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

  #leaving(thread: Thread): void {
    const index = this.#idle.indexOf(thread)
    if (index >= 0) this.#idle.splice(index, 1)
    this.#renewal.leaving(thread)
  }

  #condemnedChanged(): void {
    // First of all: whoever owns the pool may answer by asking for fewer threads.
    this.#listener?.condemnedChanged(this.condemnedCount(), false)
    this.#openMissing()
    this.#checkClosed()
  }

  #lateFault(job: JobName | null, error: ErrorRecord, thread: Thread): void {
    if (job === null) this.#loadFailed(thread, error)
    else if (this.#closing === null) this.#listener?.lateFault({ jobId: job.id, kind: job.kind, error })
  }

  #ended(thread: Thread): void {
    this.#threads.delete(thread)
    this.#dismissals.ended(thread)
    const { pid, up } = thread.carrier
    if (pid !== null) this.#register.childEnded(pid)
    if (!up && !thread.killed) this.#neverUp(thread, neverUp(thread.describeEnd('while it started')))
    else if (thread.diedUnused) this.#loadFailed(thread, this.#loads.diedUnused(thread.describeEnd('before it had a job')))
    if (this.#renewal.isProbe(thread)) this.#unusable(thread, thread.describeEnd('while it loaded the jobs anew'))
    if (thread.condemned) this.#condemnedChanged()
    this.#openMissing()
    this.#checkClosed()
  }

  // Opening and replacing.

  #usableCount(): number {
    return this.#count((thread) => this.#renewal.takesPlace(thread))
  }

  #count(isCounted: (thread: Thread) => boolean): number {
    let count = 0
    for (const thread of this.#threads) if (isCounted(thread)) count++
    return count
  }

  #openMissing(): void {
    if (this.#closing !== null) return
    this.#placeSpare()
    while (this.#usableCount() + this.#loads.delayedCount < this.#target) {
      this.#loads.inTime(() => {
        if (this.#usableCount() < this.#target) this.#openOne()
      })
    }
  }

  #openOne(generation = this.#renewal.generation): Thread {
    if (this.#source === null) throw new Error('The pool is not open.')
    const thread = new Thread(this.#source.open(), this.#owner, generation)
    this.#threads.add(thread)
    void this.#load(thread)
    return thread
  }

  async #load(thread: Thread): Promise<void> {
    const end = await this.#loads.load(thread)
    if (end.type === 'died' || this.#closing !== null) return
    if (end.type === 'loaded') return this.#loaded(thread, end.jobs)
    thread.kill()
    this.#loadFailed(thread, end.error)
  }

  #loaded(thread: Thread, jobs: LoadedJobs): void {
    const opening = this.#opening
    this.#opening = null
    opening?.resolve(jobs)
    for (const failure of opening?.failures ?? []) this.#listener?.threadUnusable(failure)
    if (jobs.failed.length > 0) this.#listener?.filesFailed(jobs.failed)
    this.#memory?.start()
    if (this.#renewal.isProbe(thread)) this.#renewal.succeeded(thread, jobs, () => this.renew())
    else this.#offer(thread)
  }

  #offer(thread: Thread): void {
    if (this.#renewal.isStale(thread) || this.#usableCount() > this.#target) {
      thread.retire()
      return this.#openMissing()
    }
    this.#idle.push(thread)
    this.#listener?.threadIdle()
  }

  /** The pool never has more runs than places, so the first thread of a generation may have to wait for one. */
  #placeSpare(): void {
    const spare = this.#renewal.takeSpare(this.#usableCount() <= this.#target, this.#threads)
    if (spare === null) return
    this.#idle.push(spare)
    // In its own turn: this may have come out of a call of the one who is told.
    this.#options.clock.nextTurn(() => this.#listener?.threadIdle())
  }

  /** Where it was a single file of a folder, the next thread loads all others. */
  #loadFailed(thread: Thread, error: ErrorRecord): void {
    if (!this.#loads.leaveOut(thread, error)) return this.#unusable(thread, error)
    if (this.#closing === null) this.#renewal.again(thread)
  }

  /** While the pool opens, failures are kept: it fails with the first one if all first threads fail. */
  #unusable(thread: Thread, error: ErrorRecord): void {
    if (this.#closing !== null) return
    if (this.#renewal.isProbe(thread)) return this.#renewal.failed(error)
    this.#loads.failed()
    const opening = this.#opening
    if (opening === null) return this.#listener?.threadUnusable(error)
    opening.failures.push(error)
    if (opening.failures.length >= this.#options.threads) this.#fail(decodeError(opening.failures[0] ?? error))
  }

  /** Not even our own code was loaded: that is for the owner of the pool to judge, unless somebody waits for just this. */
  #neverUp(thread: Thread, error: ErrorRecord): void {
    if (this.#opening !== null || this.#renewal.isProbe(thread)) return this.#unusable(thread, error)
    this.#loads.failed()
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
    this.#opening?.reject(closedWhileLoading())
    this.#renewal.abandon(closedWhileLoading())
    this.#opening = null
    this.#memory?.stop()
    this.#timers.cancelAll()
    this.#idle.length = 0
    for (const thread of this.#threads) thread.dismiss()
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
  readonly resolve: (jobs: LoadedJobs) => void
  readonly reject: (error: unknown) => void
  readonly failures: ErrorRecord[]
}

function closedWhileLoading(): ReeveError {
  return new ReeveError('REEVE_RUNTIME_CLOSED', 'The pool was closed before a thread had loaded the jobs.')
}
