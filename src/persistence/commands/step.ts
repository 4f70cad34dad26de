/** Step: the command by which a running attempt reads and writes the steps of its job, and its answer. */
import type { Lease } from '../../job/lease.ts'
import type { StepOperation, StepOutcome } from '../../job/step.ts'

/** Reads or writes steps, under the token of the attempt (invariant `step-write-fenced`). */
export interface StepCommand {
  readonly type: 'step'
  readonly now: number
  readonly lease: Lease
  readonly operation: StepOperation
}
/** What came of it. */
export interface StepAnswer {
  readonly type: 'step'
  readonly outcome: StepOutcome
}
