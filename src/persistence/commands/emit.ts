/** Emit: the command that keeps an event and ends the waits for it, and its answer. */
import type { JobId } from '../../job/lease.ts'
import type { StoredPayload } from '../../job/payload.ts'

/**
 * Keeps an event, or (with `to`) a signal for one job, and ends the oldest matching wait of each job that waits for it. One that
 * comes before its wait is taken by it later: an event while it is kept, a signal as long as its job is there. An `id` that is
 * there already changes nothing (a repeated command).
 */
export interface EmitCommand {
  readonly type: 'emit'
  readonly now: number
  /** New for each event. */
  readonly id: string
  readonly event: string
  readonly key: string | null
  readonly payload: StoredPayload
  readonly to: JobId | null
  /** Events older than this are dropped now and then. */
  readonly keepMs: number
  /** The oldest events are dropped where there are more. */
  readonly keepMax: number
}
/** Whether it is kept, or why a signal is not: its job is not there, is over, or has more signals than it may. */
export interface EmitAnswer {
  readonly type: 'emitted'
  readonly outcome: 'kept' | 'not-found' | 'over' | 'full'
}
