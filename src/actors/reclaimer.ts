/**
 * Takes back the jobs of owners that are *proved* dead (their presence lock is free), at start and again and again.
 * A lease that merely expired is left alone: a stopped process or a sleeping laptop is alive, and its thread too.
 */
import type { Clock } from '../clock.ts'
import type { OwnerId } from '../job/lease.ts'
import type { ReclaimAnswer } from '../persistence/commands/reclaim.ts'
import type { Presence } from '../persistence/presence.ts'
import type { Store } from '../persistence/store.ts'
import type { Committer } from './committer.ts'
import { isBusy, Repeater } from './repeater.ts'
import type { ServiceLogger } from './service-logger.ts'

/** How often other owners are probed: a death is noticed after half of it on average. A probe is a few system calls. */
const probeEveryMs = 200

/** What a reclaimer works with. */
export interface ReclaimerOptions {
  readonly store: Pick<Store, 'otherOwners'>
  readonly presence: Pick<Presence, 'owner' | 'isDead' | 'forget' | 'sweep'>
  readonly committer: Pick<Committer, 'submit'>
  readonly clock: Clock
  readonly logger: ServiceLogger
  /** A job is a dead letter once so many processes have died while they held it alone. */
  readonly crashesMax: number
  /** Ends the child processes that a dead owner left; false where one may still live, and its job with it. */
  readonly endOrphans: (owner: OwnerId) => Promise<boolean>
  /** Told after the COMMIT that took the jobs back. */
  readonly reclaimed: (answer: ReclaimAnswer) => void
  readonly failed: (error: unknown) => void
}

/** Probes other owners and reclaims from the dead. */
export class Reclaimer {
  readonly #options: ReclaimerOptions
  readonly #repeater: Repeater

  constructor(options: ReclaimerOptions) {
    this.#options = options
    const { clock, failed } = options
    this.#repeater = new Repeater({ clock, failed, everyMs: probeEveryMs, round: () => this.look() })
  }

  /** Cleans up, looks at once, resolves when that is done, and goes on looking. */
  async start(): Promise<void> {
    try {
      this.#options.presence.sweep(this.#options.clock.wall())
      await this.look()
    } catch (error) {
      if (!isBusy(error)) throw error
    }
    this.#repeater.start()
  }

  stop(): void {
    this.#repeater.stop()
  }

  /** One look at all other owners. */
  async look(): Promise<void> {
    const { store, presence, endOrphans } = this.#options
    for (const owner of await store.otherOwners(presence.owner)) {
      if (presence.isDead(owner) && (await endOrphans(owner))) await this.#reclaim(owner)
    }
  }

  /** The owner is forgotten only after the COMMIT: until then its free lock is the proof that we need. */
  async #reclaim(owner: OwnerId): Promise<void> {
    const { presence, committer, clock, logger, crashesMax, reclaimed } = this.#options
    const answer = await committer.submit({ type: 'reclaim', now: clock.wall(), owner, crashesMax })
    reclaimed(answer)
    const log = answer.jobs.length > 0 ? 'warn' : 'info'
    logger[log]({ owner, jobs: answer.jobs.length }, 'took back the jobs of a supervisor that died')
    presence.forget(owner)
  }
}
