/** A step as `runtime.steps` shows it. */
import type { JobId } from '../job/lease.ts'
import { decodePayload } from '../job/payload.ts'
import type { StepState, StepType } from '../job/step.ts'
import type { StepRow } from '../persistence/step-row.ts'
import { reviveError } from '../threads/revive-error.ts'

/** Everything that is known of one step of a job. Times are milliseconds since the Unix epoch. */
export interface StepSnapshot {
  readonly name: string
  /** `run`: a function; `sleep`, `event` and `invoke`: a wait. */
  readonly type: StepType
  /** `waiting`: it is not over; `ended`: it has its value for ever; `failed`: it threw, and the handler went on from that. */
  readonly state: StepState
  /** The attempt that it was first done, or asked for, in. */
  readonly attempt: number
  /** Whether the present (or last) run of the handler found it ended, and did not do it. */
  readonly replayed: boolean
  readonly startedAt: number
  readonly endedAt: number | null
  /** How long it took, waits included; null while it is not over. */
  readonly durationMs: number | null
  /** What it waits or waited for; null for a function. `until` is the end of a sleep, or when a wait for an event gives up. */
  readonly waitsFor: {
    readonly until: number | null
    readonly event: string | null
    readonly match: string | null
    /** The id of the job that it invoked. */
    readonly job: JobId | null
  } | null
  /** What it returned; `undefined` unless it has ended. */
  readonly result: unknown
  readonly error: Error | null
}

/** Decodes a row. */
export function stepSnapshotOf({ until, event, match, child, value, error, ...row }: StepRow): StepSnapshot {
  return {
    ...row,
    durationMs: row.endedAt === null ? null : Math.max(row.endedAt - row.startedAt, 0),
    waitsFor: row.type === 'run' ? null : { until, event, match, job: child },
    result: decodePayload(value),
    error: error === null ? null : reviveError(error),
  }
}
