/**
 * The locks that a kind names as `exclusive`: all of them are free, or its job is not claimed; and they are taken with the claim, as
 * locks of the job's lease, so that they are free again whatever ends it (see ../lock.ts).
 */
import type { Database } from 'better-sqlite3'
import { exclusiveTaking, prepareLockHolder, prepareTakeLock } from '../lock.ts'

/** A job that was just claimed: its lease. */
export interface ClaimedLease {
  readonly seq: number
  readonly token: number
  readonly owner: string
}

/** Looks at locks, and takes them. */
export interface Exclusive {
  /** When all of these are free: 0 for now, `Infinity` where a holder has no bound. */
  freeAt(names: readonly string[], now: number): number
  /** Takes them all; they are free. */
  take(names: readonly string[], lease: ClaimedLease, now: number): void
}

/** Prepares it for a connection. */
export function prepareExclusive(db: Database): Exclusive {
  const holderOf = prepareLockHolder(db)
  const takeLock = prepareTakeLock(db)
  return {
    freeAt(names, now) {
      let at = 0
      for (const name of names) {
        const holder = holderOf(name, now)
        if (holder !== null) at = Math.max(at, holder.expiresAt ?? Number.POSITIVE_INFINITY)
      }
      return at
    },
    take(names, lease, now) {
      // In one order everywhere; within one transaction nobody can come between.
      const { seq: job, token: jobToken, owner } = lease
      for (const name of names.toSorted())
        takeLock({ name, taking: exclusiveTaking(job), owner, job, jobToken, now, expiresAt: null })
    },
  }
}
