/** The seam's part for whoever looks in: nothing here changes a job, and each answer is one snapshot. */
import type { Breaker } from '../job/breaker.ts'
import type { JobId } from '../job/lease.ts'
import type { LockHolder } from '../job/lock.ts'
import type { Pause } from '../job/pause.ts'
import type { QueueDepth } from '../job/queue-depth.ts'
import type { JobState } from '../job/state.ts'
import type { AttemptRow } from './attempt-row.ts'
import type { EventsPage, EventsQuery } from './event-log.ts'
import type { LogQuery, StoredLine } from './job-log.ts'
import type { JobRow } from './job-row.ts'
import type { JobsQuery, JobsSlice, KindCountsSlice } from './jobs-query.ts'
import type { StepRow } from './step-row.ts'

/** What suspended jobs wait for, besides events. */
export interface PendingWaits {
  /** When the next timer is due, or null. */
  readonly nextWakeAt: number | null
  /** Whether some wait for the end of another job. */
  readonly forJobs: boolean
}

/** What can be asked of a store without changing it. */
export interface Inspection {
  /** One job, or null. */
  job(id: JobId): Promise<JobRow | null>
  /** The history of a job, oldest first; null where no job has this id. */
  attempts(id: JobId): Promise<readonly AttemptRow[] | null>
  /** How many jobs are in each state. Reads no job that is over: some 0.1 s for each million that wait, a fifth of that for those that are over. */
  counts(): Promise<Readonly<Record<JobState, number>>>
  /** What waits and runs, in one queue or (null) in all. Reads what waits and runs: some 0.1 s a million. */
  depth(now: number, queue: string | null): Promise<QueueDepth>
  /** When the job that has been due for longest became due, or null where none is due. Seeks only: no count of what waits. */
  oldestDueAt(now: number, queue: string | null): Promise<number | null>
  /** Log lines of a job, oldest first; null where no job has the id. */
  logs(query: LogQuery): Promise<readonly StoredLine[] | null>
  /** A page of the stream of events; null where it is off. */
  events(query: EventsQuery): Promise<EventsPage | null>
  /** The last of up to `limit` events that are older, or more, than are kept; null where there is none. */
  oldEvents(now: number, limit: number): Promise<number | null>
  /** Who holds a lock, or null. */
  lockHolder(name: string, now: number): Promise<LockHolder | null>
  /** The steps of a job, in the order in which they were first written; null where no job has this id. */
  steps(id: JobId): Promise<readonly StepRow[] | null>
  /** What suspended jobs wait for. Two seeks. */
  pendingWaits(): Promise<PendingWaits>
  /** A slice of a list of jobs. */
  jobs(query: JobsQuery): Promise<JobsSlice>
  /** Counts by kind and queue among the rows behind a place, `lookMax` of them at most. */
  kindCounts(after: number, lookMax: number): Promise<KindCountsSlice>
  /** The breakers of kinds that have failed since they last completed, as they stand at `now`. */
  breakers(now: number): Promise<readonly Breaker[]>
  /** What is paused at `now`. */
  pauses(now: number): Promise<readonly Pause[]>
  /** The job that holds a unique key now, or null. */
  holderOf(uniqueKey: string, now: number): Promise<{ readonly id: JobId; readonly kind: string } | null>
}
