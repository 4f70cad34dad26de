/** A step as a person sees it. */
import type { ErrorRecord } from '../job/error-record.ts'
import type { JobId } from '../job/lease.ts'
import type { StoredPayload } from '../job/payload.ts'
import type { StepState, StepType } from '../job/step.ts'

/** One step of one job. Times are wall clock, milliseconds. */
export interface StepRow {
  readonly name: string
  readonly type: StepType
  readonly state: StepState
  /** The attempt that it was first asked for in. */
  readonly attempt: number
  /** It ended before the present (or last) run of the handler began, which has it from memory. */
  readonly replayed: boolean
  readonly startedAt: number
  readonly endedAt: number | null
  /** When a sleep ends, or a wait for an event gives up. */
  readonly until: number | null
  readonly event: string | null
  readonly match: string | null
  /** The job that it invoked. */
  readonly child: JobId | null
  readonly value: StoredPayload
  readonly error: ErrorRecord | null
}
