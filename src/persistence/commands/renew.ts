/** Renew: the command that moves the expiry of leases, and its answer. */
import type { Lease, OwnerId } from '../../job/lease.ts'

/** Moves the expiry of leases that `owner` still holds, and tells which it does not. */
export interface RenewCommand {
  readonly type: 'renew'
  readonly owner: OwnerId
  readonly leases: readonly Lease[]
  readonly leaseExpiresAt: number
}
/** Which of the leases were not the owner's (any more). */
export interface RenewAnswer {
  readonly type: 'renewed'
  readonly lost: readonly Lease[]
}
