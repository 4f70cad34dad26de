/**
 * Enqueues that wait until their queue has room, first come first served. It looks again and again rather than at each claim: jobs are
 * also claimed by other processes. Invariant: whoever waits is admitted, or was withdrawn; nobody passes one that waits before.
 */
import type { Clock, Timer } from '../clock.ts'

const lookEveryMs = 20

/** Tries an enqueue: true where it is decided, false where its queue has no room yet. */
export type TryEnqueue = () => Promise<boolean>

interface Waiting {
  readonly call: number
  readonly queue: string
  readonly attempt: TryEnqueue
  readonly withdrawn: () => void
  isTried: boolean
  isWithdrawn: boolean
}

/** Who waits for room. */
export class WaitingRoom {
  readonly #clock: Pick<Clock, 'after'>
  readonly #failed: (error: unknown) => void
  #waiting: Waiting[] = []
  #timer: Timer | undefined
  #isStopped = false

  constructor(options: { readonly clock: Pick<Clock, 'after'>; readonly failed: (error: unknown) => void }) {
    this.#clock = options.clock
    this.#failed = options.failed
  }

  /** Whether somebody waits for this queue: a new call of it comes after. */
  isAwaited(queue: string): boolean {
    return this.#waiting.some((waiting) => waiting.queue === queue)
  }

  /** `attempt` is called now and then until it says that the call is decided; `withdrawn` at once where the caller gives up before. */
  wait(call: number, queue: string, attempt: TryEnqueue, withdrawn: () => void): void {
    this.#waiting.push({ call, queue, attempt, withdrawn, isTried: false, isWithdrawn: false })
    this.#arm()
  }

  /** The caller waits no longer. A call that is being tried at this moment may still be admitted. */
  withdraw(call: number): void {
    const waiting = this.#waiting.find((each) => each.call === call)
    if (waiting === undefined) return
    waiting.isWithdrawn = true
    if (!waiting.isTried) this.#leave(waiting, true)
  }

  /** Stops looking. */
  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  #leave(waiting: Waiting, inVain: boolean): void {
    this.#waiting = this.#waiting.filter((each) => each !== waiting)
    if (inVain) waiting.withdrawn()
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#isStopped || this.#waiting.length === 0) return
    this.#timer = this.#clock.after(lookEveryMs, () => {
      this.#look().then(() => {
        this.#timer = undefined
        this.#arm()
      }, this.#failed)
    })
  }

  /** The first of each queue; behind one that has to wait nobody is tried. */
  async #look(): Promise<void> {
    const full = new Set<string>()
    for (const waiting of [...this.#waiting]) {
      if (full.has(waiting.queue) || !this.#waiting.includes(waiting)) continue
      waiting.isTried = true
      const isDecided = await waiting.attempt()
      waiting.isTried = false
      if (isDecided || waiting.isWithdrawn) this.#leave(waiting, !isDecided)
      else full.add(waiting.queue)
    }
  }
}
