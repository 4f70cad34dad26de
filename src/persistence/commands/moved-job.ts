/** What a command did to other jobs than its own: those that waited for the one that it ended. */
import type { JobId } from '../../job/lease.ts'
import type { JobState } from '../../job/state.ts'

/** A job that was moved along: it may run now, or came to its end. */
export interface MovedJob {
  readonly id: JobId
  readonly state: Extract<JobState, 'ready' | 'cancelled' | 'discarded'>
}

/** Absent: none. Null: there may be some, and the store cannot say which (a repeated command). */
export interface Moves {
  readonly moved?: readonly MovedJob[] | null
}
