/**
 * The seam between the runtime and whatever keeps its jobs. A store is told *commands*: plain data. It runs all
 * commands of one call in one transaction, in order, and answers after COMMIT; so one fsync serves a whole turn,
 * and a property test can drive a store, a wrong store and a model with the same values.
 */
import type { ReeveError } from '../errors.ts'
import type { JobId, Lease, OwnerId } from '../job/lease.ts'
import type { Answer, Command } from './commands/command.ts'
import type { Inspection } from './inspection.ts'
import type { JobRow } from './job-row.ts'
import type { OverdueOwner } from './presence.ts'
import type { DueSchedules, ScheduleRow, SkipRow } from './schedule-row.ts'

/** How far a commit goes: to the disk (`power`), or to the operating system (`process`). */
export type Durability = 'power' | 'process'

/** Something that must always hold and does not. */
export interface Violation {
  /** The published name of the invariant, such as `running-iff-leased`. */
  readonly invariant: string
  /** The id of a job, or a description. */
  readonly violator: string
}

/** Where jobs are kept. All methods reject with a ReeveError whose code begins `REEVE_DATABASE_` or is `REEVE_COMMIT_UNKNOWN`. */
export interface Store extends Inspection {
  /** What it can keep. A runtime that is asked for more does not start on it. */
  readonly enforces: { readonly globalLimits: boolean }
  /**
   * Runs the commands in one transaction and answers each, in order, after COMMIT. On a rejection nothing was
   * changed, unless its code is `REEVE_COMMIT_UNKNOWN`: then run the same commands again with `repeated: true`.
   */
  commit(commands: readonly Command[], options?: { readonly repeated?: boolean }): Promise<readonly Answer[]>
  /** Those of the given jobs that are in a terminal state, and ids that do not exist (as null). */
  finished(ids: readonly JobId[]): Promise<ReadonlyMap<JobId, JobRow | null>>
  /** Leases of `owner` whose cancel was requested. */
  cancelRequests(owner: OwnerId): Promise<readonly Lease[]>
  /** Holds what is stored against every invariant that one snapshot can decide. Reads the whole file: for people, not for a loop. */
  violations(): Promise<readonly Violation[]>
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
  /** All schedules, by name. */
  schedules(): Promise<readonly ScheduleRow[]>
  /** One schedule, or null. */
  schedule(name: string): Promise<ScheduleRow | null>
  /** The ticks of a schedule that were skipped, latest first. */
  scheduleSkips(name: string): Promise<readonly SkipRow[]>
  /** Schedules of these kinds that somebody should decide on at `now`, and when the next one is due. */
  dueSchedules(kinds: readonly string[], now: number): Promise<DueSchedules>
  /**
   * What has become of the file since it was opened, where it is no longer what its path names: whatever is written now would
   * be lost with it. Null where all is well. Costs a few system calls.
   */
  displaced(): ReeveError | null
  /** Puts what was written into its final place and cuts the log back, as far as others let it: for a quiet moment. */
  checkpoint(): Promise<void>
  /** Gives some of the space that nothing uses any more back to the file system, where that can be done in steps; answers whether there is more. */
  shrink(): Promise<boolean>
  /** Checkpoints and closes. Calling it twice is fine. */
  close(): Promise<void>
}
