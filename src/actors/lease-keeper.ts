/**
 * Renews the leases of everything this owner has claimed, from the supervisor thread: a handler that blocks its own
 * thread for an hour keeps its lease (promise P5). It holds no lease itself, so its restart loses nothing.
 */
import type { Clock } from '../clock.ts'
import type { Lease, OwnerId } from '../job/lease.ts'
import type { Committer } from './committer.ts'
import { Repeater } from './repeater.ts'

/** A lease is renewed this many times within its duration, so that two renewals may fail. */
const renewalsPerLease = 3

/** What a lease keeper works with. */
export interface LeaseKeeperOptions {
  readonly committer: Pick<Committer, 'submit'>
  readonly clock: Clock
  readonly owner: OwnerId
  readonly leaseDurationMs: number
  /** What is held at this moment. */
  readonly leases: () => readonly Lease[]
  /** Told of leases that are held here and are not ours in the store. */
  readonly lost: (leases: readonly Lease[]) => void
  readonly failed: (error: unknown) => void
}

/** Renews all leases, again and again. */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions
  readonly #repeater: Repeater

  constructor(options: LeaseKeeperOptions) {
    this.#options = options
    const { clock, failed, leaseDurationMs } = options
    this.#repeater = new Repeater({ clock, failed, everyMs: leaseDurationMs / renewalsPerLease, round: () => this.renew() })
  }

  start(): void {
    this.#repeater.start()
  }

  stop(): void {
    this.#repeater.stop()
  }

  /** Renews out of turn: the wall clock has jumped, and the leases are written in its time. */
  renewNow(): void {
    this.renew().catch(this.#options.failed)
  }

  /** One renewal of everything that is held now. */
  async renew(): Promise<void> {
    const { committer, clock, owner, leaseDurationMs, leases, lost } = this.#options
    const held = leases()
    if (held.length === 0) return
    const answer = await committer.submit({ type: 'renew', owner, leases: held, leaseExpiresAt: clock.wall() + leaseDurationMs })
    // A lease that was settled while the renewal was under way is not lost, only over.
    const stillHeld = new Set(leases().map(keyOf))
    const really = answer.lost.filter((lease) => stillHeld.has(keyOf(lease)))
    if (really.length > 0) lost(really)
  }
}

function keyOf({ jobId, token }: Lease): string {
  return `${jobId} ${token}`
}
