/**
 * Looks after the database file once a second: whether it is still the one that its path names, who else lets leases run
 * out, and, in a quiet moment, that its log does not keep what was written. Nothing that it does is urgent.
 */
import type { Clock } from '../clock.ts'
import type { ReeveError } from '../errors.ts'
import type { Store } from '../persistence/store.ts'
import type { Committer } from './committer.ts'
import type { OverdueWatch } from './overdue-watch.ts'
import { Repeater } from './repeater.ts'
import type { ServiceLogger } from './service-logger.ts'

const roundEveryMs = 1_000
/** So many rounds without a commit make a quiet moment. */
const quietRounds = 3

/** What a caretaker works with. */
export interface CaretakerOptions {
  readonly store: Pick<Store, 'displaced' | 'checkpoint'>
  readonly committer: Pick<Committer, 'refuse' | 'commits'>
  readonly overdueWatch: Pick<OverdueWatch, 'look'>
  readonly clock: Clock
  readonly logger: ServiceLogger
  /** Told when the file has gone. */
  readonly displaced: (error: ReeveError) => void
  /** The file is back. */
  readonly replaced: () => void
  readonly failed: (error: unknown) => void
}

/** Does the rounds. */
export class Caretaker {
  readonly #options: CaretakerOptions
  readonly #repeater: Repeater
  #isDisplaced = false
  #commitsSeen = 0
  #commitsFolded = 0
  #roundsQuiet = 0

  constructor(options: CaretakerOptions) {
    this.#options = options
    const { clock, failed } = options
    this.#repeater = new Repeater({ clock, failed, everyMs: roundEveryMs, round: () => this.look() })
  }

  start(): void {
    this.#repeater.start()
  }

  stop(): void {
    this.#repeater.stop()
  }

  /** One round. */
  async look(): Promise<void> {
    this.#lookAtFile()
    await this.#options.overdueWatch.look()
    await this.#foldLog()
  }

  /** Acknowledged into a file that nobody will find again, a job would vanish without a word. */
  #lookAtFile(): void {
    const { store, committer, logger, displaced, replaced } = this.#options
    const error = store.displaced()
    if ((error !== null) === this.#isDisplaced) return
    this.#isDisplaced = error !== null
    committer.refuse(error)
    if (error === null) {
      logger.warn({}, 'the database file is back in its place')
      return replaced()
    }
    logger.fatal({ err: error }, 'the database file is gone from its place; nothing is enqueued or claimed until it is back')
    displaced(error)
  }

  async #foldLog(): Promise<void> {
    const { store, committer } = this.#options
    this.#roundsQuiet = committer.commits === this.#commitsSeen ? this.#roundsQuiet + 1 : 0
    this.#commitsSeen = committer.commits
    if (this.#roundsQuiet < quietRounds || this.#commitsFolded === this.#commitsSeen) return
    await store.checkpoint()
    this.#commitsFolded = this.#commitsSeen
  }
}
