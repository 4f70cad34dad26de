/** Steer: the command that moves jobs by hand, and its answer. */
import type { ErrorRecord } from '../../job/error-record.ts'
import type { JobCriteria } from '../../job/job-filter.ts'
import type { JobId } from '../../job/lease.ts'
import type { StoredPayload } from '../../job/payload.ts'
import type { JobState } from '../../job/state.ts'
import type { Moves } from './moved-job.ts'

/** What is done to each job. One that is in no state for it is left as it is. */
export type SteerAct =
  /** What is over is `ready` again: its attempts and crashes start again, its token goes on, a cancel request is forgotten. */
  | {
      readonly type: 'retry'
      readonly runAt: number
      /** Null leaves the job's own. */
      readonly attemptsMax: number | null
      /** Absent leaves the job's own. */
      readonly input?: { readonly payload: StoredPayload }
      /** Whether the steps that have ended are forgotten too; absent: only where there is another input. Failed ones always are. */
      readonly fromStart?: boolean
    }
  /** What is `ready` waits until it is reopened. */
  | { readonly type: 'park' }
  | { readonly type: 'reopen' }
  /** What waits becomes a dead letter. */
  | { readonly type: 'discard'; readonly error: ErrorRecord }
  /** What does not run is gone, with all that belongs to it. */
  | { readonly type: 'delete' }

/** How far a steering has come: the last row that it looked at, and the last one that it will. */
export interface SteerCursor {
  readonly after: number
  readonly upTo: number
}

/**
 * One page of a steering: looks at a bounded number of rows that were there when it began, and does the act to those that
 * the filter means. With a list of ids it is one page: the caller keeps the list short.
 */
export interface SteerCommand {
  readonly type: 'steer'
  readonly now: number
  /** Names the steering; with the number of the page a repeated command is known, changes nothing and gets the same answer. */
  readonly operation: string
  readonly page: number
  readonly act: SteerAct
  readonly criteria: JobCriteria
  /** Null for the first page. */
  readonly cursor: SteerCursor | null
  /** How many jobs this page may steer, from 1. */
  readonly room: number
}

/** A job that the act was done to. */
export interface SteeredJob {
  readonly id: JobId
  /** Where it was before. */
  readonly was: JobState
}
/** A job whose unique key another one has. */
export interface HeldKey {
  readonly id: JobId
  readonly holder: JobId
}
/** What one page did, and where the next one begins (null: there is none). */
export interface SteerAnswer extends Moves {
  readonly type: 'steered'
  readonly jobs: readonly SteeredJob[]
  readonly next: SteerCursor | null
  /** Those that could not be retried because another job has their unique key meanwhile; absent: none. */
  readonly held?: readonly HeldKey[]
}
