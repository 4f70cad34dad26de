/** Settle: the command that ends an attempt, and its answer. */
import type { BreakerChange, BreakerSettings } from '../../job/breaker.ts'
import type { Lease } from '../../job/lease.ts'
import type { Settlement } from '../../job/outcome.ts'
import type { JobState } from '../../job/state.ts'
import type { Timing } from '../../job/timing.ts'
import type { Moves } from './moved-job.ts'

/** Ends an attempt: compare-and-set on the token. Repeated by the same token, it answers as the first time. */
export interface SettleCommand {
  readonly type: 'settle'
  readonly now: number
  readonly lease: Lease
  readonly settlement: Settlement
  /** Where the handler ran, for the history; absent where the job was only held. */
  readonly ran?: Ran
  /** The kind's breaker, to count this end; absent where it has none, or the job was only held. */
  readonly breaker?: BreakerSettings & { readonly kind: string }
}
/** Where a handler ran, and since when (wall clock; null where it never started). */
export interface Ran {
  readonly threadId: number
  readonly startedAt: number | null
  /** What the handler timed; absent where it timed nothing. */
  readonly timings?: readonly Timing[]
}
/** Where the settle led, or that it was stale. */
export type SettleAnswer =
  | ({
      readonly type: 'settled'
      /** Where the job went: a terminal state, `ready` to run again at `runAt`, or `suspended`. */
      readonly state: JobState
      readonly runAt: number
      /** What it did to the kind's breaker, if anything. Told once: a settle that is repeated does not tell it again. */
      readonly breaker?: BreakerChange
    } & Moves)
  /** The lease was not the job's current one: nothing changed. */
  | { readonly type: 'stale' }
