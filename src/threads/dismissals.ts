/** Workers that were told to unmake their resources and leave; each is ended where that takes too long. */
import type { Clock, Timer } from '../clock.ts'
import type { Thread } from './thread.ts'

/** How long a worker may take for all its teardowns. */
const teardownMaxMs = 5_000

/** The dismissed workers of one pool. */
export class Dismissals {
  readonly #clock: Pick<Clock, 'after'>
  readonly #timers = new Map<Thread, Timer>()

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock
  }

  /** It was told to leave. */
  begun(thread: Thread): void {
    const timer = this.#clock.after(teardownMaxMs, () => thread.kill())
    this.#timers.set(thread, timer)
  }

  /** It is gone. */
  ended(thread: Thread): void {
    this.#timers.get(thread)?.cancel()
    this.#timers.delete(thread)
  }
}
