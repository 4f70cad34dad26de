/** A schedule as a store keeps it. */
import type { NewSchedule } from '../job/schedule/options.ts'
import type { Skip } from '../job/schedule/tick.ts'

/** A schedule, and where it stands. Times are wall clock, in milliseconds. */
export interface ScheduleRow extends NewSchedule {
  /** The options of a kind, or a call. */
  readonly source: 'code' | 'api'
  readonly paused: boolean
  /** The last instant that was decided on. */
  readonly cursor: number
  /** Grows with each change of the schedule. */
  readonly revision: number
  /** Failed ticks in a row. */
  readonly failures: number
  /** How many ticks are skipped after a failure; 0 while the breaker is closed. */
  readonly skipWidth: number
  /** How many of these are still to be skipped. */
  readonly skipLeft: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** What a scheduler has to look at. */
export interface DueSchedules {
  readonly due: readonly ScheduleRow[]
  /** When the first of the others is due; null where none is. */
  readonly nextAt: number | null
}

/** Skipped ticks on record, latest first; the latest hundred stretches are kept. */
export type SkipRow = Skip
