/**
 * The threads or child processes that one kind has for itself. They are opened when its runs need them and kept for the
 * next ones; a run that comes first waits here until its thread has loaded the jobs module.
 */
import type { Clock, Timer } from '../clock.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import { encodeError } from './error-codec.ts'
import { LaneRun } from './lane-run.ts'
import type { Assignment } from './protocol.ts'
import type { CloseOptions, PoolListener, Run, RunListener } from './thread-pool.ts'
import type { WorkerPool } from './worker-pool.ts'

/** What a lane is made of. */
export interface LaneOptions {
  readonly pool: WorkerPool
  readonly clock: Pick<Clock, 'after' | 'nextTurn'>
  /** How many runs the lane may have at once; the owner sees to it that there are no more. */
  readonly threadsMax: number
  /** How many threads stay open while nothing runs. */
  readonly threadsKept: number
  /** After how long without a run the others are closed. */
  readonly idleMs: number
}

/** One lane. It is opened at once. */
export class Lane {
  readonly #options: LaneOptions
  readonly #listener: PoolListener
  readonly #waiting: LaneRun[] = []
  /** Runs that wait or are on a thread that is not given up. */
  #busy = 0
  #target: number
  #idleTimer: Timer | null = null
  #closed = false
  #ending: PromiseWithResolvers<void> | null = null

  constructor(options: LaneOptions, listener: PoolListener) {
    this.#options = options
    this.#listener = listener
    this.#target = options.threadsKept
    // With no threads yet there is nothing that this could wait for.
    void options.pool.open({
      ...listener,
      threadIdle: () => {
        this.#serve()
        listener.threadIdle()
      },
      threadUnusable: (error) => this.#unusable(error),
      failed: (error) => this.#unusable(encodeError(error)),
    })
    options.pool.resize(this.#target)
  }

  /** Its threads. */
  get pool(): WorkerPool {
    return this.#options.pool
  }

  /** How many runs it has, those that wait included, and those on condemned threads not. */
  get busyCount(): number {
    return this.#busy
  }

  /** Starts a run, or keeps it until a thread is there for it. */
  start(assignment: Omit<Assignment, 'run'>, listener: RunListener): Run {
    const { pool, threadsMax } = this.#options
    this.#idleTimer?.cancel()
    this.#idleTimer = null
    this.#busy++
    const run = new LaneRun(assignment, listener, {
      freed: (how) => this.#freed(how),
      withdrawn: (waiting) => this.#withdrawn(waiting),
    })
    this.#waiting.push(run)
    this.#serve()
    this.#target = Math.max(this.#target, Math.min(this.#busy, threadsMax))
    if (this.#waiting.length > 0) pool.resize(this.#target)
    return run
  }

  /** From now on all starts on new threads; where nothing runs there are no more of them than it keeps anyway. */
  renew(): void {
    const { pool, threadsKept } = this.#options
    if (this.#busy === 0) {
      this.#target = threadsKept
      pool.resize(threadsKept)
    }
    pool.renew()
  }

  /** Takes no more runs: those that it has end as ever, on new threads if they wait, and then it is closed. */
  end(): Promise<void> {
    this.renew()
    this.#ending = Promise.withResolvers()
    if (this.#busy === 0) this.#ending.resolve()
    return this.#ending.promise.then(() => this.close({}))
  }

  /** Ends its threads. Runs that wait are over. */
  async close(options: CloseOptions): Promise<void> {
    this.#closed = true
    this.#idleTimer?.cancel()
    for (const run of this.#waiting.splice(0)) this.#options.clock.nextTurn(() => run.withdraw())
    await this.#options.pool.close(options)
  }

  #serve(): void {
    const { pool } = this.#options
    while (this.#waiting.length > 0 && pool.idleCount() > 0) this.#waiting.shift()?.begin(pool)
  }

  #freed(how: 'over' | 'condemned'): void {
    const { clock, pool, idleMs, threadsKept } = this.#options
    this.#busy--
    // Where the thread is gone its pool says nothing until another one has loaded; but there is room for a run now.
    clock.nextTurn(() => this.#listener.threadIdle())
    if (this.#busy === 0) this.#ending?.resolve()
    if (how === 'condemned' || this.#busy > 0 || this.#closed) return
    this.#idleTimer = clock.after(idleMs, () => {
      this.#target = threadsKept
      pool.resize(threadsKept)
    })
  }

  #withdrawn(run: LaneRun): void {
    const index = this.#waiting.indexOf(run)
    if (index < 0) return
    this.#waiting.splice(index, 1)
    this.#options.clock.nextTurn(() => run.withdraw())
  }

  /** Whoever waits goes back to the queue uncharged, with the reason: another process may be able to run it. */
  #unusable(error: ErrorRecord): void {
    for (const run of this.#waiting.splice(0)) run.refuse(error)
    this.#listener.threadUnusable(error)
  }
}
