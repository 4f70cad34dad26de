/** How often something has happened of late. */
import type { Clock } from '../clock.ts'

const windowSeconds = 60

/** A count for each of the last sixty seconds, in a ring. */
export class RecentRate {
  readonly #clock: Pick<Clock, 'mono'>
  readonly #begunAt: number
  readonly #seconds = new Float64Array(windowSeconds).fill(-1)
  readonly #counts = new Float64Array(windowSeconds)

  constructor(clock: Pick<Clock, 'mono'>) {
    this.#clock = clock
    this.#begunAt = clock.mono()
  }

  /** It has happened now. */
  record(): void {
    const second = Math.floor(this.#clock.mono() / 1_000)
    const slot = second % windowSeconds
    if (this.#seconds[slot] !== second) {
      this.#seconds[slot] = second
      this.#counts[slot] = 0
    }
    this.#counts[slot] = (this.#counts[slot] ?? 0) + 1
  }

  /** How often a second: over the last minute, or since the start where that is less, but over one second at least. */
  perSecond(): number {
    const now = this.#clock.mono()
    const oldest = Math.floor(now / 1_000) - windowSeconds
    const happened = this.#counts.reduce((sum, count, slot) => sum + ((this.#seconds[slot] ?? -1) > oldest ? count : 0), 0)
    const seconds = Math.min(Math.max((now - this.#begunAt) / 1_000, 1), windowSeconds)
    return happened / seconds
  }
}
