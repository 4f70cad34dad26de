/**
 * Notices what comes from outside and sends no word: jumps of the wall clock (set by hand, or a machine that slept), and
 * commits of other connections (another process, or the app's own handle on the file) by SQLite's change counter, which
 * costs microseconds to read. What it wakes looks for itself: nothing is taken on faith.
 *
 * To wake an idle process 25 times a second costs more than the looks: where nothing has happened for a while it waits for
 * the operating system's word of a write, and looks seldom.
 */
import type { Clock, Timer } from '../clock.ts'
import type { Lease, OwnerId } from '../job/lease.ts'
import type { Store } from '../persistence/store.ts'
import { isBusy } from './repeater.ts'

const lookEveryMs = 40
/** With nothing seen for so long, it waits for a word. */
const quietMs = 1_000
/** How often it looks while it waits. A word that was missed costs this much. */
const seldomMs = 200
/** The wall clock is set by so much against the other one: less is drift, and what is due then waits no longer than a second. */
const jumpMinMs = 1_000

/** What a watcher works with. */
export interface WatcherOptions {
  readonly store: Pick<Store, 'changedElsewhere' | 'cancelRequests' | 'onWrite'>
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
  #wallAhead: number
  #quietSince = 0
  #timer: Timer | undefined
  #endWait: (() => void) | null = null
  /** Which start a round belongs to; one of an earlier start does not go on. */
  #generation = 0

  constructor(options: WatcherOptions) {
    this.#options = options
    const { clock } = options
    this.#wallAhead = clock.wall() - clock.mono()
  }

  start(): void {
    this.#generation++
    this.#quietSince = this.#options.clock.mono()
    this.#sleep()
  }

  stop(): void {
    this.#generation++
    this.#timer?.cancel()
    this.#stopWaiting()
  }

  /** One look. */
  async look(): Promise<void> {
    const { store, clock, owner, changed, cancelRequested } = this.#options
    this.#lookAtClock()
    if (!store.changedElsewhere()) return
    this.#quietSince = clock.mono()
    for (const lease of await store.cancelRequests(owner)) cancelRequested(lease)
    changed()
  }

  #sleep(): void {
    const { clock } = this.#options
    if (clock.mono() - this.#quietSince >= quietMs) this.#wait()
    else this.#stopWaiting()
    this.#timer = clock.after(this.#endWait === null ? lookEveryMs : seldomMs, () => this.#round())
  }

  #round(): void {
    const generation = this.#generation
    this.look().then(
      () => {
        if (generation === this.#generation) this.#sleep()
      },
      (error: unknown) => {
        if (generation !== this.#generation) return
        if (isBusy(error)) this.#sleep()
        else this.#options.failed(error)
      },
    )
  }

  /** A write just before the watch began is met by the next seldom look. */
  #wait(): void {
    if (this.#endWait !== null) return
    const { store, clock } = this.#options
    this.#endWait = store.onWrite(() => {
      this.#endWait = null
      this.#quietSince = clock.mono()
      this.#timer?.cancel()
      this.#round()
    })
  }

  #stopWaiting(): void {
    this.#endWait?.()
    this.#endWait = null
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
