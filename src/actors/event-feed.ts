/**
 * Answers who reads the stream of events, and lets those wait who have read all of it: they are woken by the commits of this
 * runtime and by the watcher's word of others.
 */
import type { Clock } from '../clock.ts'
import type { EventsPage, EventsQuery } from '../persistence/event-log.ts'
import type { Store } from '../persistence/store.ts'

/** A wait ends after so long without an event: whoever reads asks again, and one who is gone does not wait for ever. */
const waitMaxMs = 20_000

/** Gives out pages of events. */
export class EventFeed {
  readonly #store: Pick<Store, 'events'>
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()
  /** Grows with each commit that was seen, so that one between a look and the wait after it is not missed. */
  #commits = 0

  constructor({ store, clock }: { readonly store: Pick<Store, 'events'>; readonly clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  /** Somebody has committed something. */
  recheck(): void {
    this.#commits++
    for (const wake of this.#waiting) wake()
  }

  /** The next events that the query asks for, as soon as there are some; a page without any after a while. */
  async next(query: EventsQuery): Promise<EventsPage | null> {
    const until = this.#clock.mono() + waitMaxMs
    let { after } = query
    for (;;) {
      const commits = this.#commits
      const page = await this.#store.events({ ...query, after })
      if (page === null || page.isPruned || page.events.length > 0 || after === 'end') return page
      after = page.cursor
      // A page of events that nobody asked for: the next one may have some, but others have their turn first.
      if (page.hasMore) await new Promise<void>((resolve) => this.#clock.nextTurn(resolve))
      else if (this.#clock.mono() >= until) return page
      else if (commits === this.#commits) await this.#wait(until - this.#clock.mono())
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        timer.cancel()
        this.#waiting.delete(done)
        resolve()
      }
      const timer = this.#clock.after(ms, done)
      this.#waiting.add(done)
    })
  }
}
