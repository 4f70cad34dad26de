/** Runs something again and again: the next round begins a fixed time after the last one has ended. */
import type { Clock, Timer } from '../clock.ts'
import { ReeveError } from '../errors.ts'

/** Whether an error says only that another connection held the lock for a moment: whoever comes again finds it free. */
export function isBusy(error: unknown): boolean {
  return error instanceof ReeveError && error.code === 'REEVE_DATABASE_BUSY'
}

/** A round that can be started, stopped and started again. Rounds never overlap; one that met a lock is no failure. */
export class Repeater {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #round: () => Promise<void>
  readonly #failed: (error: unknown) => void
  #timer: Timer | undefined
  /** Which start a round belongs to; one of an earlier start does not go on. */
  #generation = 0

  constructor(options: {
    readonly clock: Clock
    readonly everyMs: number
    readonly round: () => Promise<void>
    readonly failed: (error: unknown) => void
  }) {
    this.#clock = options.clock
    this.#everyMs = options.everyMs
    this.#round = options.round
    this.#failed = options.failed
  }

  /** The first round begins after one interval. */
  start(): void {
    this.#sleep(++this.#generation)
  }

  /** No further round begins. One that is under way ends by itself. */
  stop(): void {
    this.#generation++
    this.#timer?.cancel()
  }

  #sleep(generation: number): void {
    this.#timer = this.#clock.after(this.#everyMs, () => {
      this.#round().then(
        () => {
          if (generation === this.#generation) this.#sleep(generation)
        },
        (error: unknown) => {
          if (generation !== this.#generation) return
          if (isBusy(error)) this.#sleep(generation)
          else this.#failed(error)
        },
      )
    })
  }
}
