/**
 * Keeps the last progress of an attempt in the store, at most a few times a second: a handler may report in a
 * tight loop. Listeners hear of each report; only the store is spared.
 */
import type { Clock, Timer } from '../clock.ts'
import type { Lease } from '../job/lease.ts'
import type { Committer } from './committer.ts'

/** The least time between two writes of one attempt. */
const writeEveryMs = 250

/** Writes progress under the attempt's lease token; a stale one changes nothing. */
export class ProgressWriter {
  readonly #lease: Lease
  readonly #services: { readonly committer: Pick<Committer, 'submit'>; readonly clock: Clock }
  #waiting: { readonly fraction: number | null; readonly note: string | null } | undefined
  #timer: Timer | undefined
  #stopped = false

  constructor(lease: Lease, services: { readonly committer: Pick<Committer, 'submit'>; readonly clock: Clock }) {
    this.#lease = lease
    this.#services = services
  }

  /** Takes the newest report; an older one that was not written yet is dropped. */
  write(fraction: number | null, note: string | null): void {
    if (this.#stopped) return
    this.#waiting = { fraction, note }
    if (this.#timer === undefined) this.#flush()
  }

  /** Writes what still waits, and then nothing any more: the settle comes next. */
  stop(): void {
    if (this.#stopped) return
    this.#timer?.cancel()
    this.#submitWaiting()
    this.#stopped = true
  }

  #flush(): void {
    this.#timer = undefined
    if (!this.#submitWaiting()) return
    this.#timer = this.#services.clock.after(writeEveryMs, () => this.#flush())
  }

  #submitWaiting(): boolean {
    if (this.#waiting === undefined) return false
    // Progress may be lost (a full disk); the attempt itself must not suffer for it.
    this.#services.committer.submit({ type: 'progress', lease: this.#lease, ...this.#waiting }).catch(() => undefined)
    this.#waiting = undefined
    return true
  }
}
