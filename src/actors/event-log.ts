/**
 * Begins or ends the stream of events as the options say, and forgets its oldest events, a small batch a commit. Every runtime on
 * the file prunes, also one without the option: the triggers make all of them write.
 */
import type { Clock } from '../clock.ts'
import type { EventLogLimits } from '../persistence/event-log.ts'
import type { Store } from '../persistence/store.ts'
import type { Committer } from './committer.ts'
import { Repeater } from './repeater.ts'

const pruneEveryMs = 2_000
const batchMax = 1_000

/** What it works with. `wanted` is null to end the stream, and undefined to leave it as it is. */
export interface EventLogOptions {
  readonly store: Pick<Store, 'oldEvents'>
  readonly committer: Pick<Committer, 'submit'>
  readonly clock: Clock
  readonly wanted: EventLogLimits | null | undefined
  readonly failed: (error: unknown) => void
}

/** Keeps the stream of events as it should be. */
export class EventLog {
  readonly #options: EventLogOptions
  readonly #repeater: Repeater

  constructor(options: EventLogOptions) {
    this.#options = options
    this.#repeater = new Repeater({
      ...{ clock: options.clock, everyMs: pruneEveryMs, failed: options.failed },
      round: () => this.prune(),
    })
  }

  async start(): Promise<void> {
    const { committer, wanted } = this.#options
    if (wanted !== undefined) await committer.submit({ type: 'keep-events', limits: wanted })
    this.#repeater.start()
  }

  stop(): void {
    this.#repeater.stop()
  }

  /** Forgets what is too old or too much. */
  async prune(): Promise<void> {
    const { store, committer, clock } = this.#options
    for (;;) {
      const through = await store.oldEvents(clock.wall(), batchMax)
      if (through === null) return
      await committer.submit({ type: 'prune-events', through })
    }
  }
}
