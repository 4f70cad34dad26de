/** The real clock, but for one length of timer, which fires when the test says so. */
import { setTimeout } from 'node:timers/promises'
import { type Clock, realClock } from '../../../src/clock.ts'

/** Holds back every timer of exactly `heldMs`. */
export class ManualTimers {
  readonly clock: Clock
  readonly #held = new Set<() => void>()

  constructor(heldMs: number) {
    const real = realClock()
    this.clock = {
      ...real,
      after: (ms, fire) => {
        if (ms !== heldMs) return real.after(ms, fire)
        this.#held.add(fire)
        return { cancel: () => void this.#held.delete(fire) }
      },
    }
  }

  /** Fires all that are armed. */
  fire(): void {
    if (this.#held.size === 0) throw new Error('No such timer is armed.')
    for (const fire of this.#held) {
      this.#held.delete(fire)
      fire()
    }
  }

  /** Resolves once a condition holds of which nobody tells. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await setTimeout(5)
  }
}
