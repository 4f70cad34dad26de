/**
 * Reeve: durable background jobs on threads, with timeouts that really stop the code. The public surface.
 *
 * Worker threads load this file too, through the jobs module; so the runtime itself is loaded only when it is asked for.
 */
import type { RuntimeOptions } from './client/options.ts'
import type { Runtime } from './client/runtime.ts'
import type { Jobs } from './job/definition.ts'
import { refuseOldNode } from './node-version.ts'

export type { AttemptSnapshot } from './client/attempt-snapshot.ts'
export type { WorkOptions } from './client/consuming/work-options.ts'
export { enqueueStatement } from './client/enqueue-statement.ts'
export type { JobEventBase, RuntimeEventName, RuntimeEvents } from './client/events.ts'
export type { EventsOptions } from './client/follow-events.ts'
export type { CancelResult, JobHandle, ResultOptions } from './client/job-handle.ts'
export type { JobsOptions, JobsPage } from './client/job-list.ts'
export type { LogsOptions, LogsPage } from './client/job-logs.ts'
export type { JobSnapshot } from './client/job-snapshot.ts'
export type { JobTarget } from './client/job-target.ts'
export type { JobsReload } from './client/jobs-reload.ts'
export type { QueueLimitOptions, ResourceCapacity } from './client/limit-options.ts'
export type { RuntimeLogger } from './client/log-relay.ts'
export type { EventLogOptions } from './client/looking-in-options.ts'
export type { RuntimeOptions } from './client/options.ts'
export type { Queue, WorkHandler, WorkHandlers, WorkSummary } from './client/queue.ts'
export type { CallOptions } from './client/runtime/calling.ts'
export type { BatchOptions, HandlesOf, JobToEnqueueOf } from './client/runtime/enqueuing.ts'
export type { PauseOptions } from './client/runtime/pausing.ts'
export type { EmitOptions, Emitted } from './client/runtime/signalling.ts'
export type { DiscardOptions, RetryJobOptions, SteerOptions, SteerResult } from './client/runtime/steering.ts'
export type { Runtime } from './client/runtime.ts'
export type { ScheduleInfo, Schedules, ScheduleToUpsert } from './client/schedules.ts'
export type { StepSnapshot } from './client/step-snapshot.ts'
export type { Duration } from './duration.ts'
export { type ErrorCode, ReeveError } from './errors.ts'
export type { Breaker, BreakerOptions } from './job/breaker.ts'
export type { JobContext, JobInfo, JobLog, JobRun } from './job/context.ts'
export {
  defineJobs,
  type InputOf,
  type JobDefinition,
  type JobOptions,
  type Jobs,
  job,
  type KindOf,
  type ResultOf,
} from './job/definition.ts'
export type { EnqueueOptions } from './job/enqueue-options.ts'
export type { JobFile, JobsOfFiles } from './job/job-file.ts'
export type { Instant, JobFilter } from './job/job-filter.ts'
export type { JobLogLine, JobLogOptions } from './job/job-log.ts'
export type { KeyValueListOptions, KeyValuePage, KeyValues } from './job/key-values.ts'
export type { KindCounts } from './job/kind-counts.ts'
export type { KindDatabase, KindDatabaseOptions, KindMigration } from './job/kind-database.ts'
export type { JobId } from './job/lease.ts'
export type { Concurrency, LimitOptions, LimitReach, RateLimit } from './job/limits.ts'
export { type HeldLock, LockBusyError, type LockHolder, type LockOptions } from './job/lock.ts'
export { NonRetryableError } from './job/non-retryable-error.ts'
export type { Pause, PauseTarget } from './job/pause.ts'
export type { QueueDepth } from './job/queue-depth.ts'
export type { DepthOptions, RoomWait } from './job/queue-depth-bound.ts'
export type { QueueEvent, QueueEventError, QueueEventType } from './job/queue-event.ts'
export type { RetentionRule } from './job/retention.ts'
export type { RetryOptions } from './job/retry-options.ts'
export type { RuntimeLoad } from './job/runtime-load.ts'
export type { AttemptStats, RuntimeStats, TimeSpread } from './job/runtime-stats.ts'
export type { KindSchedule, KindSchedules } from './job/schedule/declaration.ts'
export type { JobTick } from './job/schedule/job-tick.ts'
export type { KindRetryOptions } from './job/schedule/kind-retry-options.ts'
export type { CatchUp, Overlap, ScheduleSpec, SkipReason } from './job/schedule/spec.ts'
export type { JobState, TerminalState } from './job/state.ts'
export type { StepState, StepType } from './job/step.ts'
export type { InvokeOptions, KindToInvoke, StepContext, StepRunOptions, Steps, WaitForEventOptions } from './job/steps.ts'
export type { Timing, TimingCall, TimingSpan } from './job/timing.ts'
export type { HistoryOutcome } from './persistence/attempt-row.ts'
export type { EnqueueStatement } from './persistence/enqueue-statement.ts'
export type { Crash } from './persistence/job-row.ts'
export type { JobOrder } from './persistence/jobs-query.ts'
export type { SkipRow } from './persistence/schedule-row.ts'
export type { Durability, Violation } from './persistence/store.ts'

/**
 * Opens the database, starts the supervisor thread and its worker threads, and resolves when jobs can run. Jobs that
 * a dead process left behind are taken back at once.
 *
 * @throws ReeveError `REEVE_NODE_UNSUPPORTED`, `REEVE_OPTION_INVALID`, `REEVE_JOBS_UNLOADABLE`, `REEVE_JOBS_INVALID`,
 * `REEVE_SQLITE_MISSING`, `REEVE_SQLITE_TOO_OLD`, `REEVE_DATABASE_…` or `REEVE_SCHEMA_…`; nothing is left open then.
 * @example
 * ```ts
 * import type jobs from './jobs.ts'
 * await using runtime = await createRuntime<typeof jobs>({ database: 'jobs.db', jobs: new URL('./jobs.ts', import.meta.url) })
 * ```
 */
export async function createRuntime<J extends Jobs = Jobs>(options: RuntimeOptions<J>): Promise<Runtime<J>> {
  refuseOldNode(process.versions.node)
  const { Runtime: RuntimeClass } = await import('./client/runtime.ts')
  return RuntimeClass.open(options)
}
