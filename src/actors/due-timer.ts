/**
 * Wakes its owner when the wall clock reaches a time. Sleeps are cut short, so that a machine that slept, or a wall
 * clock that was set, is noticed within a second.
 */
import type { Clock, Timer } from '../clock.ts'

const sleepMaxMs = 1_000

/** One appointment on the wall clock; an earlier one replaces a later one. */
export class DueTimer {
  readonly #clock: Clock
  readonly #due: () => void
  #at = Number.POSITIVE_INFINITY
  #timer: Timer | undefined

  constructor(clock: Clock, due: () => void) {
    this.#clock = clock
    this.#due = due
  }

  /** Makes an appointment, unless there is an earlier one. */
  set(wallMs: number): void {
    if (wallMs >= this.#at) return
    this.#at = wallMs
    this.#sleep()
  }

  /** Forgets the appointment. */
  cancel(): void {
    this.#at = Number.POSITIVE_INFINITY
    this.#timer?.cancel()
  }

  #sleep(): void {
    this.#timer?.cancel()
    const leftMs = Math.max(this.#at - this.#clock.wall(), 0)
    this.#timer = this.#clock.after(Math.min(leftMs, sleepMaxMs), () => {
      if (this.#clock.wall() < this.#at) return this.#sleep()
      this.#at = Number.POSITIVE_INFINITY
      this.#due()
    })
  }
}
