/**
 * The slots of one inline consumer as a pool: each run has a slot of its own, in the app's thread, until its handler has
 * returned. There is nothing to open and nothing that could be replaced: a slot whose handler does not return stays taken.
 */
import type { Clock } from '../clock.ts'
import type { LoadedJobs } from '../job/loaded-jobs.ts'
import type { ChildRegister } from './child-register.ts'
import { encodeError } from './error-codec.ts'
import { InlineCarrier, type InlineLine } from './inline-carrier.ts'
import type { Assignment, WorkerMessage } from './protocol.ts'
import { SpawnRecord } from './spawn-record.ts'
import { Thread, type ThreadOwner } from './thread.ts'
import type { PoolListener, Run, RunListener, ThreadPool } from './thread-pool.ts'

/** What a consumer's pool is made of. */
export interface InlinePoolOptions extends InlineLine {
  readonly clock: Clock
  /** How many runs there may be at once. */
  readonly slots: number
  /** How many runs there may be in all; `Infinity` for any number. */
  readonly runsMax: number
  readonly children: ChildRegister
}

/** The slots of one consumer. */
export class InlinePool implements ThreadPool {
  readonly #options: InlinePoolOptions
  readonly #owner: ThreadOwner
  readonly #busy = new Map<number, { readonly carrier: InlineCarrier; readonly thread: Thread }>()
  #listener: Pick<PoolListener, 'threadIdle'> | null = null
  #slots: number
  #runs = 0
  #closed = false

  constructor(options: InlinePoolOptions) {
    const nothing = () => undefined
    this.#options = options
    this.#slots = options.slots
    this.#owner = {
      spawns: new SpawnRecord(options.children),
      now: () => options.clock.mono(),
      deathOf: encodeError,
      free: (thread) => this.#freed(thread),
      ended: (thread) => this.#freed(thread),
      ...{ leaving: nothing, condemned: nothing, dismissed: nothing, resourceFailed: nothing, lateFault: nothing },
    }
  }

  async open(listener: Pick<PoolListener, 'threadIdle'>): Promise<LoadedJobs> {
    this.#listener = listener
    return { catalog: {}, prints: {}, failed: [] }
  }

  /** A message of the handler in a slot; one of a slot that is over means nothing. */
  hear(slot: number, message: WorkerMessage): void {
    this.#busy.get(slot)?.carrier.hear(message)
  }

  /** From now on so many runs may be there at once. Those that are too many go on. */
  resize(slots: number): void {
    this.#slots = slots
    this.#listener?.threadIdle()
  }

  /** How many runs there are. */
  get busyCount(): number {
    return this.#busy.size
  }

  /** Whether it has had as many runs as it may have in all. */
  get isUsedUp(): boolean {
    return this.#runs >= this.#options.runsMax
  }

  idleCount(): number {
    if (this.#closed) return 0
    return Math.max(Math.min(this.#slots - this.#busy.size, this.#options.runsMax - this.#runs), 0)
  }

  /** None: so nothing is claimed ahead of free slots. */
  threadCount(): number {
    return 0
  }

  condemnedCount(): number {
    return [...this.#busy.values()].filter(({ thread }) => thread.condemned).length
  }

  start(assignment: Omit<Assignment, 'run'>, listener: RunListener): Run {
    if (this.idleCount() === 0) throw new Error('No slot is free: ask idleCount first.')
    const carrier = new InlineCarrier(++this.#runs, this.#options)
    const thread = new Thread(carrier, this.#owner, 0)
    this.#busy.set(carrier.slot, { carrier, thread })
    return thread.start(assignment, listener)
  }

  /** There are no jobs to load anew: the handler is the app's. */
  async recycle(): Promise<LoadedJobs> {
    return { catalog: {}, prints: {}, failed: [] }
  }

  async close(): Promise<void> {
    this.#closed = true
  }

  #freed(thread: Thread): void {
    for (const [slot, busy] of this.#busy) if (busy.thread === thread) this.#busy.delete(slot)
    this.#listener?.threadIdle()
  }
}
