/** Locks: the commands that take and free one, and their answers. */
import type { Lease, OwnerId } from '../../job/lease.ts'
import type { LockOutcome } from '../../job/lock.ts'

/** Takes a lock if nobody holds it: for the attempt of a lease, or for an app. */
export interface LockCommand {
  readonly type: 'lock'
  readonly now: number
  readonly name: string
  /** Unique; a repeated command finds by it what its first run took. */
  readonly taking: string
  readonly owner: OwnerId
  /** Of a handler; null for an app, which holds it as long as `owner` is alive. */
  readonly lease: Lease | null
  /** Past this another may take it; null for no bound. */
  readonly expiresAt: number | null
}
/** What came of it. */
export interface LockAnswer {
  readonly type: 'lock'
  readonly outcome: LockOutcome
}
/** Frees one taking of a lock. */
export interface UnlockCommand {
  readonly type: 'unlock'
  readonly name: string
  readonly taking: string
}
/** Whether that taking was still there. Repeated, it says no. */
export interface UnlockAnswer {
  readonly type: 'unlock'
  readonly released: boolean
}
