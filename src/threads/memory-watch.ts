/**
 * Watches the memory that no limit of V8 counts: the buffers of a thread, the whole of a child process. It samples, so
 * a worker can overshoot between two looks; it is there so that a leak ends one attempt and not the process.
 */
import type { Clock, Timer } from '../clock.ts'
import { ReeveError } from '../errors.ts'
import type { Thread } from './thread.ts'

const lookEveryMs = 250

/** How much is too much. */
export interface MemoryLimit {
  readonly bytes: number
  /** So many looks in a row must find too much. Buffers that wait to be collected are counted, so one is not enough for them. */
  readonly looks: number
  /** What grew past what, for the error: `its buffers grew past the 64 MB of memory.maxExternalMb`. */
  readonly complaint: string
}

/** Looks at all threads of a pool, while it is started. */
export class MemoryWatch {
  readonly #clock: Pick<Clock, 'after'>
  readonly #limit: MemoryLimit
  readonly #threads: Iterable<Thread>
  /** How many looks in a row found too much. */
  readonly #over = new WeakMap<Thread, number>()
  /** A thread in native code answers late; it is not asked twice. */
  readonly #asked = new WeakSet<Thread>()
  #timer: Timer | null = null

  constructor(clock: Pick<Clock, 'after'>, limit: MemoryLimit, threads: Iterable<Thread>) {
    this.#clock = clock
    this.#limit = limit
    this.#threads = threads
  }

  /** Begins to look. A second call does nothing. */
  start(): void {
    this.#timer ??= this.#clock.after(lookEveryMs, () => {
      this.#timer = null
      let any = false
      for (const thread of this.#threads) {
        any = true
        if (!thread.dying && !this.#asked.has(thread)) void this.#look(thread)
      }
      if (any) this.start()
    })
  }

  /** Looks no more. */
  stop(): void {
    this.#timer?.cancel()
    this.#timer = null
  }

  async #look(thread: Thread): Promise<void> {
    this.#asked.add(thread)
    const bytes = await thread.carrier.usedBytes()
    this.#asked.delete(thread)
    const over = bytes !== null && bytes > this.#limit.bytes ? (this.#over.get(thread) ?? 0) + 1 : 0
    this.#over.set(thread, over)
    if (over < this.#limit.looks) return
    const megabytes = Math.round((bytes ?? 0) / 1024 / 1024)
    thread.failWith(
      new ReeveError(
        'REEVE_THREAD_OUT_OF_MEMORY',
        `The handler ran out of memory: ${this.#limit.complaint} (${megabytes} MB). Work in smaller pieces, or raise the limit.`,
      ),
    )
  }
}
