/** An entry of a job's history as a person sees it. */
import type { ErrorRecord } from '../job/error-record.ts'
import type { OwnerId } from '../job/lease.ts'
import type { TransitionCause } from '../job/state.ts'
import type { Timing } from '../job/timing.ts'

/** What ended an attempt, or was done by hand; the words of the published edges. */
export type HistoryOutcome = Exclude<TransitionCause, 'claim' | 'turn' | 'wake'>

/** One attempt of a job, or one act by hand. */
export interface AttemptRow {
  /** How many attempts were charged, this one included. */
  readonly attempt: number
  readonly token: number
  /** Null while it runs. */
  readonly outcome: HistoryOutcome | null
  /** Null for what was done by hand. */
  readonly claimedAt: number | null
  /** When its handler started; null where that is not known: while it runs, or where its process died. */
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly threadId: number | null
  /** Null for a completed attempt, and for what was done by hand. */
  readonly owner: OwnerId | null
  readonly error: ErrorRecord | null
  /** What its handler timed by `ctx.timing`, in the order in which it began; at most 100. Empty while it runs. */
  readonly timings: readonly Timing[]
}
