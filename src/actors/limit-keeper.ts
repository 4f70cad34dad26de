/**
 * Declares the limits of this runtime's code and options to the store, before the first claim and at each reload. Those of its own
 * jobs alone go with its claims instead.
 */
import type { Clock } from '../clock.ts'
import { ReeveError } from '../errors.ts'
import { type DeclaredLimits, declaredLimits, type LimitSources } from '../job/declared-limits.ts'
import type { KindCatalog } from '../job/kind.ts'
import type { LocalLimit } from '../job/limits.ts'
import type { Store } from '../persistence/store.ts'
import type { Committer } from './committer.ts'

/** What a limit keeper works with. */
export interface LimitKeeperOptions extends Omit<LimitSources, 'catalog'> {
  readonly store: Pick<Store, 'enforces'>
  readonly committer: Pick<Committer, 'submit'>
  readonly clock: Clock
  /** The queues that this runtime runs, null for all: what it does not limit of them has no limit any more. */
  readonly queues: readonly string[] | null
  /** Whether it runs jobs. One that does not says nothing of what it does not name. */
  readonly runsJobs: boolean
}

/** Keeps the limits in step with the kinds. */
export class LimitKeeper {
  readonly #options: LimitKeeperOptions
  #declared: Promise<unknown> = Promise.resolve()

  constructor(options: LimitKeeperOptions) {
    this.#options = options
  }

  /**
   * From now on these are the kinds; gives the limits that go with each claim. What is declared here is written with the next
   * commit, and a claim that is submitted later comes after it.
   *
   * @throws ReeveError `REEVE_OPTION_INVALID` where a kind names a resource that is not declared, `REEVE_LIMIT_UNENFORCED`.
   */
  useKinds(catalog: KindCatalog): readonly LocalLimit[] {
    const limits = declaredLimits({ ...this.#options, catalog })
    this.#refuseUnenforced(limits)
    this.#declared = this.#declare(limits, Object.keys(catalog))
    this.#declared.catch(() => undefined)
    return limits.local
  }

  /** Resolves when the limits of the first kinds are written: no job is claimed before. */
  async start(): Promise<void> {
    await this.#declared
  }

  async #declare({ global }: DeclaredLimits, kinds: readonly string[]): Promise<void> {
    const { committer, clock, queues, runsJobs, store } = this.#options
    if (!store.enforces.globalLimits || (!runsJobs && global.length === 0)) return
    const asked = { limits: global, kinds, queues: runsJobs ? queues : [] }
    await committer.submit({ type: 'declare-limits', now: clock.wall(), ...asked })
  }

  #refuseUnenforced({ global: [first] }: DeclaredLimits): void {
    if (first === undefined || this.#options.store.enforces.globalLimits) return
    throw new ReeveError(
      'REEVE_LIMIT_UNENFORCED',
      `The store cannot keep a limit over all processes, as ${first.scope} '${first.name}' asks for: write reach: 'local', or use another store.`,
    )
  }
}
