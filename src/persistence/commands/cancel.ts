/** Cancel: the command, and what the request found. */
import type { JobId, LeaseToken, OwnerId } from '../../job/lease.ts'
import type { JobState } from '../../job/state.ts'
import type { Moves } from './moved-job.ts'

/** Cancels a waiting job at once; asks for the cancel of a running one, which its settle then honours. */
export interface CancelCommand {
  readonly type: 'cancel'
  readonly now: number
  readonly jobId: JobId
}
/** What the request found. */
export type CancelAnswer =
  | ({ readonly type: 'cancelled' } & Moves)
  /** It runs: `owner` must be told to stop it. */
  | { readonly type: 'cancel-requested'; readonly owner: OwnerId; readonly token: LeaseToken }
  /** It was over before (cancelled included). */
  | { readonly type: 'already-over'; readonly state: JobState }
  | { readonly type: 'not-found' }
