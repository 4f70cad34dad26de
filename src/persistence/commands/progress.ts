/** Progress: the command that keeps how far an attempt is, and its answer. */
import type { Lease } from '../../job/lease.ts'

/** Keeps the last progress of a running attempt, under its token. */
export interface ProgressCommand {
  readonly type: 'progress'
  readonly lease: Lease
  /** 0 to 1, or null where only a note is given. */
  readonly fraction: number | null
  readonly note: string | null
}
/** Whether the lease was still the job's own. */
export interface ProgressAnswer {
  readonly type: 'progressed'
  readonly applied: boolean
}
