/**
 * Notices commits of other connections (another process, or the app's own handle on the file) by SQLite's change
 * counter, which costs microseconds to read. What it wakes looks for itself: nothing is taken on faith.
 */
import type { Clock } from '../clock.ts'
import type { Lease, OwnerId } from '../job/lease.ts'
import type { Store } from '../persistence/store.ts'
import { Repeater } from './repeater.ts'

const lookEveryMs = 20

/** What a watcher works with. */
export interface WatcherOptions {
  readonly store: Pick<Store, 'changedElsewhere' | 'cancelRequests'>
  readonly clock: Clock
  readonly owner: OwnerId
  /** Something was committed elsewhere. */
  readonly changed: () => void
  /** The cancel of one of our running jobs was requested elsewhere. */
  readonly cancelRequested: (lease: Lease) => void
  readonly failed: (error: unknown) => void
}

/** Looks for commits of other connections. */
export class Watcher {
  readonly #options: WatcherOptions
  readonly #repeater: Repeater

  constructor(options: WatcherOptions) {
    this.#options = options
    const { clock, failed } = options
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
    if (!store.changedElsewhere()) return
    for (const lease of await store.cancelRequests(owner)) cancelRequested(lease)
    changed()
  }
}
