/**
 * Notices a supervisor thread whose loop stands still. The thread stamps a shared cell again and again; a cell that does
 * not move while this thread itself is awake means that it is hung.
 */
import type { Clock, Timer } from '../clock.ts'

/** In how many looks the limit is divided. */
const looksPerLimit = 8

/** Looks at one supervisor thread until it is stopped. */
export class Watchdog {
  readonly #beats: Int32Array
  readonly #clock: Clock
  readonly #limitMs: number
  readonly #hung: (deafMs: number) => void
  #lastBeat: number
  #deafMs = 0
  #lookedAt: number
  #timer: Timer | undefined

  /** `hung` is called once, when the cell has not moved for `limitMs`. */
  constructor(options: {
    readonly pulse: SharedArrayBuffer
    readonly clock: Clock
    readonly limitMs: number
    readonly hung: (deafMs: number) => void
  }) {
    this.#beats = new Int32Array(options.pulse)
    this.#clock = options.clock
    this.#limitMs = options.limitMs
    this.#hung = options.hung
    this.#lastBeat = Atomics.load(this.#beats, 0)
    this.#lookedAt = this.#clock.mono()
    this.#look()
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #look(): void {
    const everyMs = this.#limitMs / looksPerLimit
    this.#timer = this.#clock.after(everyMs, () => {
      const now = this.#clock.mono()
      // A look that comes late says that this thread (or the whole machine) stood still: that time proves nothing.
      const awakeMs = Math.min(now - this.#lookedAt, everyMs * 2)
      this.#lookedAt = now
      const beat = Atomics.load(this.#beats, 0)
      this.#deafMs = beat === this.#lastBeat ? this.#deafMs + awakeMs : 0
      this.#lastBeat = beat
      if (this.#deafMs >= this.#limitMs) this.#hung(this.#deafMs)
      else this.#look()
    })
  }
}
