/** Claim: the command that leases due jobs, and its answer. */

import type { JobFamily } from '../../job/flow.ts'
import type { JobId, LeaseToken, OwnerId } from '../../job/lease.ts'
import type { LocalLimit } from '../../job/limits.ts'
import type { StoredPayload } from '../../job/payload.ts'
import type { Backoff } from '../../job/retry-policy.ts'
import type { JobTick } from '../../job/schedule/job-tick.ts'

/**
 * Leases up to `limit + ahead` due jobs to `owner`, by priority (highest first), then due time, then insertion; groups take
 * turns, and what a pause, a limit or a rate holds back is skipped. The attempt is charged here. Past `limit` the claim stops
 * at the first job that would be on its last attempt (a crash must not bury a job that never ran) or that any limit or rate
 * is on (a job that waits for a thread must not hold it).
 *
 * Suspects are left out, unless `alone` is set and one is due: then that one is taken, and nothing else.
 */
export interface ClaimCommand {
  readonly type: 'claim'
  readonly now: number
  readonly owner: OwnerId
  /** New for each claim of an owner; a repeated command with the same number gets the same jobs. */
  readonly claimNumber: number
  readonly leaseExpiresAt: number
  readonly limit: number
  readonly ahead: number
  /** Whether the owner runs and holds nothing, so that a suspect may be taken. */
  readonly alone: boolean
  /** Which queues to look at; null for all. */
  readonly queues: readonly string[] | null
  /** Queues to leave alone. */
  readonly queuesExcluded: readonly string[]
  /** Of no group does this owner hold more than so many jobs; null for any number. What others run is not counted. */
  readonly groupMax: number | null
  /** Kinds that have a breaker: it is heeded. */
  readonly breakers: readonly string[]
  /** Limits of what this owner runs at once. */
  readonly localLimits: readonly LocalLimit[]
  /** `attemptsMax` of each kind that sets one; written to the job at its first claim and fixed from then on. */
  readonly attemptsMaxByKind: Readonly<Record<string, number>>
  readonly attemptsMaxDefault: number
}
/** What was leased; it may be nothing. */
export interface ClaimAnswer {
  readonly type: 'claimed'
  /** In claim order. */
  readonly jobs: readonly ClaimedJob[]
  /**
   * When the first job of these queues that was not taken may be, where fewer were taken than asked for: its due time, or the
   * end of a pause or a rate. Null when all were taken, none is left, or no time will tell. `now` says that the claim stopped
   * at a job that is not taken ahead, or took a suspect. Suspects that are due are not counted here but in `suspectsDue`.
   */
  readonly nextRunAt: number | null
  /** Suspects of these queues are due that this claim did not take: the next one should be `alone`. */
  readonly suspectsDue: boolean
  /** Jobs are held back by a limit that is full: a settle may make room. */
  readonly limited: boolean
}
/** A job that this claim leased, with all that its attempt needs. */
export interface ClaimedJob {
  readonly id: JobId
  readonly token: LeaseToken
  readonly kind: string
  readonly queue: string
  readonly group: string | null
  readonly priority: number
  readonly input: StoredPayload
  /** The number of this attempt, from 1. */
  readonly attempt: number
  readonly attemptsMax: number
  readonly timeoutMs: number | null
  readonly backoff: Backoff | null
  readonly createdAt: number
  readonly runAt: number
  /** It was held when a process died: nothing is to run beside it. */
  readonly isSuspect: boolean
  /** For which tick of which schedule it was made; null where it was enqueued. */
  readonly tick: JobTick | null
  /** Absent: it belongs to none. */
  readonly family?: JobFamily
}
