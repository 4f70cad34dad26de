/**
 * Notices what comes from outside and sends no word: jumps of the wall clock (set by hand, or a machine that slept), and
 * of other connections (another process, or the app's own handle on the file) by SQLite's change counter, which
 * costs microseconds to read. What it wakes looks for itself: nothing is taken on faith.
 */
import type { Clock } from '../clock.ts'
import type { Lease, OwnerId } from '../job/lease.ts'
import type { Store } from '../persistence/store.ts'
import { Repeater } from './repeater.ts'

const lookEveryMs = 40
/** The wall clock is set by so much against the other one: less is drift, and what is due then waits no longer than a second. */
const jumpMinMs = 1_000

/** What a watcher works with. */
export interface WatcherOptions {
  readonly store: Pick<Store, 'changedElsewhere' | 'cancelRequests'>
  readonly clock: Clock
  readonly owner: OwnerId
  /** Something was committed elsewhere. */
  readonly changed: () => void
  /** The wall clock has jumped by so much, forth or (negative) back. */
  readonly jumped: (ms: number) => void
  /** The cancel of one of our running jobs was requested elsewhere. */
  readonly cancelRequested: (lease: Lease) => void
  readonly failed: (error: unknown) => void
}

/** Looks for commits of other connections. */
export class Watcher {
  readonly #options: WatcherOptions
  readonly #repeater: Repeater
  #wallAhead: number

  constructor(options: WatcherOptions) {
    this.#options = options
    const { clock, failed } = options
    this.#wallAhead = clock.wall() - clock.mono()
    this.#repeater = new Repeater({ clock, failed, everyMs: lookEveryMs, round: () => this.look() })
  }

  start(): void {
    this.#repeater.start()
  }

  stop(): void {
    this.#repeater.stop()
  }

  /** One look. */
  async look(): Promise<void> {
    const { store, owner, changed, cancelRequested } = this.#options
    this.#lookAtClock()
    if (!store.changedElsewhere()) return
    for (const lease of await store.cancelRequests(owner)) cancelRequested(lease)
    changed()
  }

  #lookAtClock(): void {
    const { clock, jumped } = this.#options
    const wallAhead = clock.wall() - clock.mono()
    const ms = wallAhead - this.#wallAhead
    if (Math.abs(ms) < jumpMinMs) return
    this.#wallAhead = wallAhead
    jumped(ms)
  }
}
