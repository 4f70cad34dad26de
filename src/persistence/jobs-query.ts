/** The seam's part for lists of jobs: which, in what order, and how many rows may be looked at for them. */
import type { JobCriteria } from '../job/job-filter.ts'
import type { JobState } from '../job/state.ts'
import type { JobRow } from './job-row.ts'

/** By enqueue, the last or the first one first; or (jobs that are over only) by when they ended, the last one first. */
export type JobOrder = 'newest' | 'oldest' | 'ended'

/** A slice of a list of jobs. */
export interface JobsQuery {
  readonly criteria: JobCriteria
  readonly order: JobOrder
  /** Where the slice before ended; null at the beginning. */
  readonly after: readonly number[] | null
  /** The most rows to give. */
  readonly limit: number
  /** The most rows to look at. */
  readonly lookMax: number
  /** Whether inputs and results are read too. */
  readonly payloads: boolean
}

/** What was found. */
export interface JobsSlice {
  readonly rows: readonly JobRow[]
  /** How many rows were looked at. */
  readonly looked: number
  /** Where to go on; null where nothing is left. */
  readonly place: readonly number[] | null
  /** It ends early: its inputs and results are large. */
  readonly isCut: boolean
}

/** How many jobs of one kind and queue are in one state, among the rows that were looked at. */
export interface KindStateCount {
  readonly kind: string
  readonly queue: string
  readonly state: JobState
  readonly jobs: number
}

/** A part of the count by kind. */
export interface KindCountsSlice {
  readonly counts: readonly KindStateCount[]
  /** Where to go on; null where nothing is left. */
  readonly place: number | null
}
