/**
 * A pool of simulated threads, faithful to the seam: a thread's messages come in order, a run is over when its handler
 * has ended and the thread is back, or when the thread has exited and all it had sent was told. Everything that a real
 * machine could order otherwise goes through `later`.
 */
import type { Clock } from '../../../src/clock.ts'
import type { OwnerId } from '../../../src/job/lease.ts'
import type { LoadedJobs } from '../../../src/job/loaded-jobs.ts'
import type { Assignment } from '../../../src/threads/protocol.ts'
import type { PoolListener, Run, RunListener, ThreadPool } from '../../../src/threads/thread-pool.ts'
import { catalog } from './handlers.ts'
import type { History } from './history.ts'
import type { Later } from './sim-clock.ts'
import { SimRun } from './sim-run.ts'

export interface SimPoolOptions {
  readonly owner: OwnerId
  readonly threads: number
  readonly clock: Clock
  readonly later: Later
  readonly history: History
  /** Called with each hand-over, before the thread has it. */
  readonly handed: (assignment: Omit<Assignment, 'run'>) => void
}

/** One simulated thread. It sends in order, whatever the order in which deliveries are released. */
export interface SimThread {
  readonly id: number
  exited: boolean
  readonly outbox: (() => void)[]
}

/** The simulated pool. */
export class SimPool implements ThreadPool {
  readonly options: SimPoolOptions
  readonly #idle: SimThread[] = []
  readonly #loading = new Set<SimThread>()
  readonly #runs = new Map<SimThread, SimRun>()
  #lastThreadId = 0
  #listener: PoolListener | null = null
  /** Given up, and not gone. */
  readonly #condemned = new Set<SimThread>()
  /** At work on what was loaded before a reload. */
  readonly #stale = new Set<SimThread>()
  #closing = false
  #allEnded: () => void = () => undefined

  constructor(options: SimPoolOptions) {
    this.options = options
  }

  open(listener: PoolListener): Promise<LoadedJobs> {
    this.#listener = listener
    return new Promise((resolve) => {
      for (let count = 0; count < this.options.threads; count++)
        this.openThread(() => resolve({ catalog, prints: {}, failed: [] }))
    })
  }

  /** One thread more loads; then all that have no run are gone, and those that have one are replaced after it. */
  recycle(): Promise<LoadedJobs> {
    return new Promise((resolve) => {
      this.options.later('a probe loads', () => {
        for (const thread of [...this.#idle.splice(0), ...this.#loading]) {
          this.#loading.delete(thread)
          if (!this.#closing) this.openThread()
        }
        for (const thread of this.#runs.keys()) this.#stale.add(thread)
        resolve({ catalog, prints: {}, failed: [] })
      })
    })
  }

  idleCount(): number {
    return this.#idle.length
  }

  threadCount(): number {
    return this.#idle.length + this.#loading.size + this.#runs.size
  }

  condemnedCount(): number {
    return this.#condemned.size
  }

  start(assignment: Omit<Assignment, 'run'>, listener: RunListener): Run {
    const thread = this.#idle.pop()
    if (thread === undefined) throw new Error('No thread is idle: ask idleCount first.')
    this.options.handed(assignment)
    const run = new SimRun(this, thread, assignment, listener)
    this.#runs.set(thread, run)
    return run
  }

  async close(): Promise<void> {
    this.#closing = true
    this.#idle.length = 0
    this.#loading.clear()
    for (const run of this.#runs.values()) run.kill()
    if (this.#runs.size > 0) await new Promise<void>((resolve) => (this.#allEnded = resolve))
  }

  /** Sends a message of a thread: it is told when a delivery is released, after all that were sent before it. */
  send(thread: SimThread, label: string, tell: () => void): void {
    thread.outbox.push(tell)
    this.options.later(`thread ${thread.id} ${label}`, () => thread.outbox.shift()?.())
  }

  /** The run holds its thread no longer, and the thread lives. */
  free(thread: SimThread): void {
    this.#runs.delete(thread)
    if (!this.#stale.delete(thread)) this.#offer(thread)
    else if (!this.#closing) this.openThread()
  }

  /** A thread was told to die. It lives until it has exited. */
  terminating(_thread: SimThread): void {}

  /** A thread is given up: another one takes its place now, while it lives on. */
  condemn(thread: SimThread): void {
    if (this.#condemned.has(thread)) return
    this.#condemned.add(thread)
    this.#tellCondemned()
    if (!this.#closing) this.openThread()
  }

  /** A thread has exited; another one takes its place, unless it has one already. */
  exited(thread: SimThread): void {
    this.#runs.delete(thread)
    this.#stale.delete(thread)
    if (this.#runs.size === 0) this.#allEnded()
    if (this.#condemned.delete(thread)) this.#tellCondemned()
    else if (!this.#closing) this.openThread()
  }

  protected openThread(loaded: () => void = () => undefined): void {
    const thread: SimThread = { id: ++this.#lastThreadId, exited: false, outbox: [] }
    this.#loading.add(thread)
    this.options.later(`thread ${thread.id} loads`, () => {
      if (!this.#loading.delete(thread)) return
      loaded()
      this.#offer(thread)
    })
  }

  #tellCondemned(): void {
    this.options.later('condemned changed', () => this.#listener?.condemnedChanged(this.#condemned.size, false))
  }

  #offer(thread: SimThread): void {
    if (this.#closing) return
    this.#idle.push(thread)
    this.#listener?.threadIdle()
  }
}
