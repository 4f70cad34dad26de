/** The commands that declare, steer and fire schedules, and their answers. */
import type { JobId, Lease, LeaseToken, OwnerId } from '../../job/lease.ts'
import type { NewSchedule } from '../../job/schedule/options.ts'
import type { SkipReason } from '../../job/schedule/spec.ts'
import type { Skip, Tick } from '../../job/schedule/tick.ts'

/**
 * Stores schedules, new or changed. One whose timing changes is counted from `now` on; else its cursor stays. With `source` `'code'`
 * the schedules that code declared for one of `kinds` and does not any more are removed; a call may not change
 * what code declares.
 */
export interface DeclareSchedulesCommand {
  readonly type: 'declare-schedules'
  readonly now: number
  readonly source: 'code' | 'api'
  readonly schedules: readonly NewSchedule[]
  readonly kinds: readonly string[]
}
/** Which were not stored, because code declares a schedule of this name. */
export interface DeclareSchedulesAnswer {
  readonly type: 'schedules-declared'
  readonly refused: readonly string[]
}

/**
 * Pauses, resumes or removes a schedule. What came due during a pause is not made up for. The jobs of a removed one stay.
 */
export interface SteerScheduleCommand {
  readonly type: 'steer-schedule'
  readonly now: number
  readonly name: string
  readonly act: 'pause' | 'resume' | 'remove'
}
/** What the request found. A removal answers `done` also where there was none: it may be a repeated one. */
export interface SteerScheduleAnswer {
  readonly type: 'schedule-steered'
  readonly outcome: 'done' | 'not-found' | 'declared-by-code'
}

/** Makes a job of a schedule now, whatever its overlap rule and its breaker say. It counts as none of its ticks. */
export interface TriggerScheduleCommand {
  readonly type: 'trigger-schedule'
  readonly now: number
  readonly name: string
  readonly jobId: JobId
}
/** Whether there is such a schedule. */
export interface TriggerScheduleAnswer {
  readonly type: 'schedule-triggered'
  readonly kind: string | null
}

/** A tick to be run, with the job that it makes. */
export interface TickToFire extends Tick {
  readonly jobId: JobId
  readonly runAt: number
}

/**
 * Inserts the jobs of ticks and moves the cursor over all that was decided, in one transaction, if the schedule still is
 * what the decision was made on (`revision`, `cursor`). Whether a tick overlaps is looked at here.
 */
export interface FireScheduleCommand {
  readonly type: 'fire-schedule'
  readonly now: number
  /** New for each decision; a repeated one is known by it. */
  readonly decision: string
  readonly name: string
  readonly revision: number
  readonly cursor: number
  readonly run: readonly TickToFire[]
  readonly skipped: Skip | null
  readonly newCursor: number
  readonly nextAt: number | null
}
/** What a decision came to. */
export type FireScheduleAnswer =
  | {
      readonly type: 'schedule-fired'
      readonly jobs: readonly JobId[]
      readonly skipped: readonly { readonly instant: number; readonly reason: SkipReason }[]
      /** Jobs before it that waited, and are cancelled. */
      readonly cancelled: readonly CancelledJob[]
      /** Running ones, whose owners must be told. */
      readonly stopping: readonly (Lease & { readonly owner: OwnerId })[]
    }
  /** Somebody else decided first, or the schedule was changed: look again. */
  | { readonly type: 'schedule-stale' }

/** A job that a later tick took the place of. */
export interface CancelledJob {
  readonly jobId: JobId
  readonly kind: string
  readonly queue: string
  readonly attempt: number
  readonly token: LeaseToken
}

/** All commands that are about schedules. */
export type ScheduleCommand = DeclareSchedulesCommand | SteerScheduleCommand | TriggerScheduleCommand | FireScheduleCommand
