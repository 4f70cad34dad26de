/**
 * Tells of supervisors that live and let their leases run out: stopped by a signal, starved, or asleep. Their jobs are not
 * taken, for their threads may go on at any moment; somebody should know all the same.
 */
import ms from 'ms'
import type { Clock } from '../clock.ts'
import { ReeveError } from '../errors.ts'
import type { OwnerId } from '../job/lease.ts'
import type { OverdueOwner } from '../persistence/presence.ts'
import type { Store } from '../persistence/store.ts'
import type { ServiceLogger } from './service-logger.ts'

/** What it works with. */
export interface OverdueWatchOptions {
  readonly store: Pick<Store, 'overdueOwners'>
  readonly owner: OwnerId
  readonly clock: Clock
  readonly logger: ServiceLogger
  /** Told once each time that an owner has fallen behind. */
  readonly overdue: (error: ReeveError) => void
}

/** Looks for expired leases of others. */
export class OverdueWatch {
  readonly #options: OverdueWatchOptions
  #seen: ReadonlySet<OwnerId> = new Set()
  readonly #reported = new Set<OwnerId>()

  constructor(options: OverdueWatchOptions) {
    this.#options = options
  }

  /** One look. Only who is overdue at two looks in a row is reported: after a jump of the wall clock everybody is, for a moment. */
  async look(): Promise<void> {
    const { store, owner, clock, logger } = this.#options
    const found = await store.overdueOwners(owner, clock.wall())
    for (const late of found) if (this.#seen.has(late.owner) && !this.#reported.has(late.owner)) this.#report(late)
    this.#seen = new Set(found.map((late) => late.owner))
    for (const reported of this.#reported) {
      if (this.#seen.has(reported)) continue
      this.#reported.delete(reported)
      logger.info({ owner: reported }, 'a supervisor that was overdue renews its leases again, or is gone')
    }
  }

  #report({ owner, jobs, expiredAt }: OverdueOwner): void {
    const { clock, logger, overdue } = this.#options
    const lateMs = Math.round(clock.wall() - expiredAt)
    this.#reported.add(owner)
    logger.warn({ owner, jobs, lateMs }, 'a supervisor is alive and has let its leases run out; its jobs are left to it')
    overdue(
      new ReeveError(
        'REEVE_SUPERVISOR_OVERDUE',
        `Supervisor ${owner} holds ${jobs} jobs whose leases ran out up to ${ms(lateMs)} ago, and its process is alive: stopped, starved or asleep. Its jobs are left to it; kill the process, and they are taken over at once.`,
      ),
    )
  }
}
