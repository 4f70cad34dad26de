/**
 * Knows when a handler does nothing but wait: some wait is pending, no step is at work, nothing is asked. A turn of the event
 * loop later (in which it may have begun another step beside the wait) the job is suspended. Waits never settle: the rest of
 * the handler's code is never run by this thread.
 */
import { realClock } from '../../../clock.ts'
import type { NewWait } from '../../../job/step.ts'

const clock = realClock()

/** What an activity is made of. */
export interface ActivityOptions {
  /** Whether an answer of the supervisor is still to come. */
  readonly isAsking: () => boolean
  /** The handler waits for all of these, and for nothing else. */
  readonly suspend: (waits: readonly NewWait[]) => void
}

/** The steps of a run that are at work, and its pending waits. */
export class Activity {
  readonly #options: ActivityOptions
  readonly #waits: NewWait[] = []
  #atWork = 0
  #isLooking = false

  constructor(options: ActivityOptions) {
    this.#options = options
  }

  /** Something that is no wait is at work until it settles. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#atWork++
    try {
      return await work()
    } finally {
      this.#atWork--
      this.look()
    }
  }

  /** From now on the handler waits for this. */
  waitFor(wait: NewWait): void {
    this.#waits.push(wait)
  }

  /** The names of its pending waits. */
  get waiting(): readonly string[] {
    return this.#waits.map(({ name }) => name)
  }

  /** Something has ended: the handler may be at rest now. */
  look(): void {
    if (this.#isLooking || !this.#isAtRest) return
    this.#isLooking = true
    clock.nextTurn(() => {
      this.#isLooking = false
      if (this.#isAtRest) this.#options.suspend(this.#waits)
    })
  }

  get #isAtRest(): boolean {
    return this.#waits.length > 0 && this.#atWork === 0 && !this.#options.isAsking()
  }
}
