/**
 * Time that stands still until a test moves it. Timers that are due, and turns that were asked for, are handed to
 * `later`: whoever owns the clock decides in which order they run.
 */
import type { Clock, Timer } from '../../../src/clock.ts'

/** Takes what is to run now, and runs it at once or whenever it likes. */
export type Later = (label: string, run: () => void) => void

interface Armed {
  readonly at: number
  readonly label: string
  readonly fire: () => void
  readonly later: Later
  cancelled: boolean
}

/** What every simulated monotonic clock says at first. */
export const monoAtStart = 1_000

/** The time of one simulated machine. Its processes have a clock each, and one wall and one mono between them. */
export class SimTime {
  #mono = monoAtStart
  #offset = 1_700_000_000_000
  #wallMax = 0
  #armed: Armed[] = []

  get mono(): number {
    return this.#mono
  }

  get wall(): number {
    return this.#mono + this.#offset
  }

  /** The latest that the wall clock has ever said. */
  get wallMax(): number {
    return Math.max(this.#wallMax, this.wall)
  }

  /** Sets the wall clock forth or back; nothing else moves. */
  jumpWall(ms: number): void {
    this.#wallMax = this.wallMax
    this.#offset += ms
  }

  /** Lets `ms` pass. What came due meanwhile is handed on, in the order in which it came due. */
  advance(ms: number): void {
    this.#mono += ms
    const due = this.#armed.filter(({ at }) => at <= this.#mono).sort((a, b) => a.at - b.at)
    this.#armed = this.#armed.filter(({ at }) => at > this.#mono)
    for (const timer of due) timer.later(timer.label, () => timer.cancelled || timer.fire())
  }

  /** How long until the next timer is due; null where none is armed. */
  untilNext(): number | null {
    this.#armed = this.#armed.filter(({ cancelled }) => !cancelled)
    return this.#armed.length === 0 ? null : Math.max(Math.min(...this.#armed.map(({ at }) => at)) - this.#mono, 0)
  }

  /** The clock of one process. */
  clock(later: Later): Clock {
    return {
      wall: () => this.wall,
      mono: () => this.mono,
      after: (ms, fire) => this.#arm(ms, fire, later),
      nextTurn: (run) => later('turn', run),
    }
  }

  #arm(ms: number, fire: () => void, later: Later): Timer {
    const timer: Armed = {
      at: this.#mono + Math.max(ms, 0),
      label: `timer of ${Math.round(ms)} ms`,
      fire,
      later,
      cancelled: false,
    }
    this.#armed.push(timer)
    return {
      cancel: () => {
        timer.cancelled = true
      },
    }
  }
}

/** Resolves when every promise that could go on has gone on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A clock for tests of one part: turns run when the test says so, timers when it lets time pass. */
export class ManualClock implements Clock {
  readonly time = new SimTime()
  readonly #ready: (() => void)[] = []
  readonly #clock = this.time.clock((_label, run) => void this.#ready.push(run))

  readonly wall = () => this.#clock.wall()
  readonly mono = () => this.#clock.mono()
  readonly after = (ms: number, fire: () => void) => this.#clock.after(ms, fire)
  readonly nextTurn = (run: () => void) => this.#clock.nextTurn(run)

  /** Runs all turns that were asked for, and those that they ask for, until nothing is left to do at this time. */
  async turns(): Promise<void> {
    await settled()
    while (this.#ready.length > 0) {
      for (const run of this.#ready.splice(0)) run()
      await settled()
    }
  }

  /** Lets `ms` pass, from one timer to the next. */
  async advance(ms: number): Promise<void> {
    await this.turns()
    let left = ms
    for (let next = this.time.untilNext(); next !== null && next <= left; next = this.time.untilNext()) {
      left -= next
      this.time.advance(next)
      await this.turns()
    }
    this.time.advance(left)
    await this.turns()
  }
}
