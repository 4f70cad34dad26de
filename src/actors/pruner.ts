/**
 * Deletes what is over and need not be kept, off the hot path: slices of bounded size, and after each a rest of many times its
 * length. So it takes a fixed small part of the time whatever there is to do, and less where the supervisor has other work.
 */
import type { Clock, Timer } from '../clock.ts'
import { ReeveError } from '../errors.ts'
import type { RetentionBound } from '../job/retention.ts'
import { terminalStates } from '../job/state.ts'
import type { PruneAnswer, PruneCommand, PruneCursor } from '../persistence/commands/prune.ts'
import type { Store } from '../persistence/store.ts'
import type { Committer } from './committer.ts'
import type { ServiceLogger } from './service-logger.ts'

/** An app that lives for half a minute at a time prunes too. */
const firstPassAfterMs = 5_000
const passEveryMs = 60_000
const restMinMs = 50
/** A rest lasts so many times what the slice took: about a tenth of the time is spent on pruning. */
const restPerSlice = 9

/** What a pruner works with. */
export interface PrunerOptions {
  readonly store: Pick<Store, 'shrink'>
  readonly committer: Pick<Committer, 'submit'>
  readonly clock: Clock
  readonly logger: ServiceLogger
  /** Names the passes of this supervisor. */
  readonly owner: string
  /** None: nothing is pruned. */
  readonly bounds: readonly RetentionBound[]
  readonly failed: (error: unknown) => void
}

/** Prunes again and again. */
export class Pruner {
  readonly #options: PrunerOptions
  #timer: Timer | undefined
  /** Which start a pass belongs to; one of an earlier start does not go on. */
  #generation = 0
  #pages = 0

  constructor(options: PrunerOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#options.bounds.length > 0) this.#sleep(firstPassAfterMs, ++this.#generation)
  }

  /** No further slice begins. One that is under way ends by itself. */
  stop(): void {
    this.#generation++
    this.#timer?.cancel()
  }

  /** One pass over all that is over, and then the file; resolves with how many jobs were deleted. */
  async pass(isOn: () => boolean = () => true): Promise<number> {
    let pruned = 0
    for (const state of terminalStates) {
      if (!isOn()) return pruned
      let cursor: PruneCursor | null = null
      do {
        const { committer, clock, owner, bounds } = this.#options
        const pass = { type: 'prune', now: clock.wall(), operation: `prune ${owner}`, page: this.#pages++ } as const
        const command: PruneCommand = { ...pass, state, bounds, cursor }
        const { count, next }: PruneAnswer = await this.#rested(() => committer.submit(command))
        pruned += count
        cursor = next
      } while (cursor !== null && isOn())
    }
    while (isOn() && (await this.#rested(() => this.#options.store.shrink())));
    return pruned
  }

  async #rested<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#options
    const began = clock.mono()
    const done = await work()
    const restMs = Math.max((clock.mono() - began) * restPerSlice, restMinMs)
    await new Promise<void>((resolve) => {
      this.#timer = clock.after(restMs, resolve)
    })
    return done
  }

  #sleep(ms: number, generation: number): void {
    const { clock, logger, failed } = this.#options
    this.#timer = clock.after(ms, () => {
      this.pass(() => generation === this.#generation).then(
        (jobs) => {
          if (jobs > 0) logger.info({ jobs }, 'pruned jobs that were over for long')
          if (generation === this.#generation) this.#sleep(passEveryMs, generation)
        },
        (error: unknown) => {
          if (generation !== this.#generation) return
          if (!(error instanceof ReeveError)) return failed(error)
          // A full disk, a lock: nothing is lost by coming again.
          logger.warn({ err: error }, 'what is over could not be pruned; trying again')
          this.#sleep(passEveryMs, generation)
        },
      )
    })
  }
}
