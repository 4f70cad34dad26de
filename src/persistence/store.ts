/**
 * The seam between the runtime and whatever keeps its jobs. A store is told *commands*: plain data. It runs all
 * commands of one call in one transaction, in order, and answers after COMMIT; so one fsync serves a whole turn,
 * and a property test can drive a store, a wrong store and a model with the same values.
 *
 * Every command may be repeated after a commit whose outcome is unknown: the second run finds what the first
 * one did and gives the same answer (invariants `settle-again-same-answer`, `commit-unknown-safe`).
 */
import type { ReeveError } from '../errors.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import type { JobId, Lease, LeaseToken, OwnerId } from '../job/lease.ts'
import type { Settlement } from '../job/outcome.ts'
import type { StoredPayload } from '../job/payload.ts'
import type { Backoff } from '../job/retry-policy.ts'
import type { JobState } from '../job/state.ts'
import type { OverdueOwner } from './presence.ts'

/** How far a commit goes: to the disk (`power`), or to the operating system (`process`). */
export type Durability = 'power' | 'process'

/** A job to insert. Absent overrides are null: the kind's own options then hold at the claim. */
export interface NewJob {
  readonly id: JobId
  readonly kind: string
  readonly queue: string
  /** Higher runs first; any integer. */
  readonly priority: number
  /** Wall clock, milliseconds. */
  readonly runAt: number
  readonly input: StoredPayload
  readonly timeoutMs: number | null
  readonly attemptsMax: number | null
  readonly backoff: Backoff | null
}

/** Inserts jobs as `ready`, all or none. An id that is there already is left as it is (a repeated command). */
export interface EnqueueCommand {
  readonly type: 'enqueue'
  readonly now: number
  readonly jobs: readonly NewJob[]
}
/** All jobs of the command are there. */
export interface EnqueueAnswer {
  readonly type: 'enqueued'
}

/**
 * Leases up to `limit + ahead` due jobs to `owner`, by priority (highest first), then due time, then insertion.
 * The attempt is charged here. Past `limit` the claim stops at the first job that would be on its last attempt:
 * a crash must not bury a job that never ran.
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
   * Due time of the first `ready` job of these queues that was not taken, where fewer were taken than asked for; null
   * when all were taken or none is left. At or before `now` it says that the claim stopped at a last attempt, or took a
   * suspect. Suspects that are due are not counted here but in `suspectsDue`.
   */
  readonly nextRunAt: number | null
  /** Suspects of these queues are due that this claim did not take: the next one should be `alone`. */
  readonly suspectsDue: boolean
}
/** A job that this claim leased, with all that its attempt needs. */
export interface ClaimedJob {
  readonly id: JobId
  readonly token: LeaseToken
  readonly kind: string
  readonly queue: string
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
}

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

/** Ends an attempt: compare-and-set on the token. Repeated by the same token, it answers as the first time. */
export interface SettleCommand {
  readonly type: 'settle'
  readonly now: number
  readonly lease: Lease
  readonly settlement: Settlement
}
/** Where the settle led, or that it was stale. */
export type SettleAnswer =
  | {
      readonly type: 'settled'
      /** Where the job went: a terminal state, or `ready` to run again at `runAt`. */
      readonly state: JobState
      readonly runAt: number
    }
  /** The lease was not the job's current one: nothing changed. */
  | { readonly type: 'stale' }

/** Keeps the last progress of a running attempt, under its token. */
export interface ProgressCommand {
  readonly type: 'progress'
  readonly lease: Lease
  /** 0 to 1, or null where only a note is given. */
  readonly fraction: number | null
  readonly note: string | null
}
/** Whether the lease was still the job's own. */
export interface ProgressAnswer {
  readonly type: 'progressed'
  readonly applied: boolean
}

/** Cancels a waiting job at once; asks for the cancel of a running one, which its settle then honours. */
export interface CancelCommand {
  readonly type: 'cancel'
  readonly now: number
  readonly jobId: JobId
}
/** What the request found. */
export type CancelAnswer =
  | { readonly type: 'cancelled' }
  /** It runs: `owner` must be told to stop it. */
  | { readonly type: 'cancel-requested'; readonly owner: OwnerId; readonly token: LeaseToken }
  /** It was over before (cancelled included). */
  | { readonly type: 'already-over'; readonly state: JobState }
  | { readonly type: 'not-found' }

/**
 * Takes back every running job of an owner that is *proved* dead: `cancelled` where a cancel was requested, else
 * `ready` at once, as a suspect. A job that was held alone stays charged, and is `discarded` where the lost attempt was the last,
 * or where `crashesMax` processes have died while they held it alone. Of several none is charged. `crashes` grows.
 */
export interface ReclaimCommand {
  readonly type: 'reclaim'
  readonly now: number
  readonly owner: OwnerId
  readonly crashesMax: number
}
/** The jobs that were taken back, and where each of them went. */
export interface ReclaimAnswer {
  readonly type: 'reclaimed'
  readonly jobs: readonly { readonly id: JobId; readonly kind: string; readonly state: JobState; readonly attempt: number }[]
}

/** Everything that a store can be told. */
export type Command =
  | EnqueueCommand
  | ClaimCommand
  | RenewCommand
  | SettleCommand
  | ProgressCommand
  | CancelCommand
  | ReclaimCommand
/** Everything that a store can answer. */
export type Answer = EnqueueAnswer | ClaimAnswer | RenewAnswer | SettleAnswer | ProgressAnswer | CancelAnswer | ReclaimAnswer

/** The answer that belongs to a command. */
export type AnswerTo<C extends Command> = C extends EnqueueCommand
  ? EnqueueAnswer
  : C extends ClaimCommand
    ? ClaimAnswer
    : C extends RenewCommand
      ? RenewAnswer
      : C extends SettleCommand
        ? SettleAnswer
        : C extends ProgressCommand
          ? ProgressAnswer
          : C extends CancelCommand
            ? CancelAnswer
            : ReclaimAnswer

/** One death of a process that held the job. */
export interface Crash {
  /** When its jobs were taken back, wall clock. */
  readonly at: number
  readonly owner: OwnerId
  /** Whether this was the only job that the owner held. */
  readonly alone: boolean
}

/** A job as a person sees it. */
export interface JobRow {
  readonly id: JobId
  readonly kind: string
  readonly queue: string
  readonly state: JobState
  readonly priority: number
  readonly runAt: number
  readonly attempt: number
  /** Null until the first claim, unless the enqueue set it. */
  readonly attemptsMax: number | null
  readonly timeoutMs: number | null
  readonly token: LeaseToken
  readonly owner: OwnerId | null
  readonly leaseExpiresAt: number | null
  readonly cancelRequested: boolean
  /** How often a process died while it held the job. */
  readonly crashes: number
  /** The latest of these deaths, oldest first. */
  readonly crashLog: readonly Crash[]
  /** It was held when a process died and has not settled since: it runs alone. */
  readonly isSuspect: boolean
  readonly progress: number | null
  readonly progressNote: string | null
  readonly input: StoredPayload
  readonly result: StoredPayload
  /** The error of the last attempt that ended badly, or why the job was put back. */
  readonly error: ErrorRecord | null
  readonly createdAt: number
  /** When the present or last attempt was claimed. */
  readonly claimedAt: number | null
  /** When it came into its terminal state. */
  readonly settledAt: number | null
}

/** Something that must always hold and does not. */
export interface Violation {
  /** The published name of the invariant, such as `running-iff-leased`. */
  readonly invariant: string
  /** The id of a job, or a description. */
  readonly violator: string
}

/** Where jobs are kept. All methods reject with a ReeveError whose code begins `REEVE_DATABASE_` or is `REEVE_COMMIT_UNKNOWN`. */
export interface Store {
  /**
   * Runs the commands in one transaction and answers each, in order, after COMMIT. On a rejection nothing was
   * changed, unless its code is `REEVE_COMMIT_UNKNOWN`: then run the same commands again with `repeated: true`.
   */
  commit(commands: readonly Command[], options?: { readonly repeated?: boolean }): Promise<readonly Answer[]>
  /** One job, or null. */
  job(id: JobId): Promise<JobRow | null>
  /** Those of the given jobs that are in a terminal state, and ids that do not exist (as null). */
  finished(ids: readonly JobId[]): Promise<ReadonlyMap<JobId, JobRow | null>>
  /** Leases of `owner` whose cancel was requested. */
  cancelRequests(owner: OwnerId): Promise<readonly Lease[]>
  /** Holds what is stored against every invariant that one snapshot can decide. Reads the whole file: for people, not for a loop. */
  violations(): Promise<readonly Violation[]>
  /** How many jobs are in each state. */
  counts(): Promise<Readonly<Record<JobState, number>>>
  /** Whether another connection has committed since the last call (cheap: microseconds). */
  changedElsewhere(): boolean
  /**
   * Calls `wrote` once when somebody, this connection included, may have written, and returns a way to stop waiting. Null where
   * there is no cheap means. It may miss a write: whoever uses it looks now and then all the same.
   */
  onWrite(wrote: () => void): (() => void) | null
  /** Owners other than `owner` that are registered or hold running jobs. */
  otherOwners(owner: OwnerId): Promise<readonly OwnerId[]>
  /** Owners other than `owner` that hold jobs whose lease expired before `now`. */
  overdueOwners(owner: OwnerId, now: number): Promise<readonly OverdueOwner[]>
  /**
   * What has become of the file since it was opened, where it is no longer what its path names: whatever is written now would
   * be lost with it. Null where all is well. Costs a few system calls.
   */
  displaced(): ReeveError | null
  /** Puts what was written into its final place and cuts the log back, as far as others let it: for a quiet moment. */
  checkpoint(): Promise<void>
  /** Checkpoints and closes. Calling it twice is fine. */
  close(): Promise<void>
}
