/** The seam between the runtime and whatever proves which supervisors are alive. A lease that ran out proves nothing. */
import type { OwnerId } from '../job/lease.ts'

/** Proof of life between supervisors: each holds an operating-system lock that only its death (or close) frees. */
export interface Presence {
  /** This incarnation. */
  readonly owner: OwnerId
  /** Whether an owner is proved dead: its lock is free or its file gone. An unknown error counts as alive. */
  isDead(owner: OwnerId): boolean
  /** Forgets a dead owner after its jobs were reclaimed: its file and its registration. */
  forget(owner: OwnerId): void
  /** Removes what deaths halfway through a start or an end have left beside the database. `now` is wall clock. */
  sweep(now: number): void
  /** Gives the lock up and removes the file. Calling it twice is fine. */
  release(): void
}

/** An owner whose leases have run out. That alone proves nothing: its process may be stopped, or its machine asleep. */
export interface OverdueOwner {
  readonly owner: OwnerId
  readonly jobs: number
  /** The expiry that is longest ago. */
  readonly expiredAt: number
}
