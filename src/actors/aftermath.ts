/**
 * What follows for others from a command that was committed: jobs that may run now are to be claimed, and whoever waits for a
 * job that came to its end with another one is to be told.
 */
import type { JobId } from '../job/lease.ts'
import { isTerminal } from '../job/state.ts'
import type { Answer } from '../persistence/commands/command.ts'
import type { MovedJob } from '../persistence/commands/moved-job.ts'
import type { JobRow } from '../persistence/job-row.ts'
import type { Store } from '../persistence/store.ts'
import type { Announcer } from './announcer.ts'
import type { Notifier } from './notifier.ts'

/** Follows up what commands moved. */
export class Aftermath {
  readonly #store: Pick<Store, 'finished'>
  readonly #notifier: Pick<Notifier, 'recheck'>
  readonly #announcer: Pick<Announcer, 'over'>
  readonly #wake: () => void
  readonly #failed: (error: unknown) => void

  constructor(options: {
    readonly store: Pick<Store, 'finished'>
    readonly notifier: Pick<Notifier, 'recheck'>
    readonly announcer: Pick<Announcer, 'over'>
    /** Something may be claimable now. */
    readonly wake: () => void
    readonly failed: (error: unknown) => void
  }) {
    this.#store = options.store
    this.#notifier = options.notifier
    this.#announcer = options.announcer
    this.#wake = options.wake
    this.#failed = options.failed
  }

  /** What the answers of one commit say of other jobs than those that were asked about. */
  of(answers: readonly Answer[]): void {
    for (const answer of answers) if ('moved' in answer && answer.moved !== undefined) this.#follow(answer.moved)
  }

  /** Null: some may have been moved, and nobody can say which; then all that is waited for is looked up. */
  #follow(moved: readonly MovedJob[] | null): void {
    this.#wake()
    if (moved === null) return this.#notifier.recheck()
    this.ended(moved.filter(({ state }) => isTerminal(state)).map(({ id }) => id))
  }

  /** These jobs are over, and no attempt of theirs has told so. */
  ended(ids: readonly JobId[]): void {
    if (ids.length === 0) return
    const tell = (rows: ReadonlyMap<JobId, JobRow | null>) =>
      this.#announcer.over([...rows.values()].filter((row) => row !== null))
    this.#store.finished(ids).then(tell, this.#failed)
  }
}
