/** Timers that are disarmed together, when their owner closes. */
import type { Clock, Timer } from '../clock.ts'

/** The timers of one owner. */
export class TimerSet {
  readonly #clock: Pick<Clock, 'after'>
  readonly #timers = new Set<Timer>()

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock
  }

  /** As {@link Clock.after}. */
  after(ms: number, fire: () => void): Timer {
    const armed = this.#clock.after(ms, () => {
      this.#timers.delete(timer)
      fire()
    })
    const timer: Timer = {
      cancel: () => {
        armed.cancel()
        this.#timers.delete(timer)
      },
    }
    this.#timers.add(timer)
    return timer
  }

  /** Disarms all. */
  cancelAll(): void {
    for (const timer of this.#timers) timer.cancel()
  }
}
