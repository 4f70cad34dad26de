/**
 * Steps: the parts of a handler that are remembered, as plain data between a worker, the supervisor and a store. A *wait* is a
 * step that suspends its job: what it waits for is written by the settle that suspends, so that a job never waits for nothing.
 */
import type { ErrorRecord } from './error-record.ts'
import type { NewJob } from './new-job.ts'
import type { StoredPayload } from './payload.ts'

/** The most steps that one job may have. */
export const stepsMax = 10_000

/** What a step does: `run` a function, or wait for a time, an event, or the end of another job. */
export type StepType = 'run' | 'sleep' | 'event' | 'invoke'

/** `waiting`: its end is still to come. `ended`: it has a value for ever. `failed`: its error is what the handler sees. */
export type StepState = 'waiting' | 'ended' | 'failed'

/** What a store remembers of a step, as a later run of its handler needs it. */
export interface RememberedStep {
  readonly name: string
  readonly type: StepType
  readonly state: StepState
  /** What it was asked to wait for, in words: another text in a later run is a change of the code. Empty for `run`. */
  readonly about: string
  /** The attempt in which it was first asked for. */
  readonly attempt: number
  /** Of a failed one: the handler went on from its error, so the error is remembered in later attempts too. One that does not (an
   * invoked job that failed) is only of the attempt that asked for it. */
  readonly stands: boolean
  readonly error: ErrorRecord | null
  /** Absent where it is large: it is asked for by itself. */
  readonly value?: StoredPayload
}

/** When a wait is over by itself: counted from the commit that suspends the job, or a moment of the wall clock. */
export type StepTimer = { readonly afterMs: number } | { readonly at: number }

/** A wait that a suspending job asks for. One that is remembered under its name already stands as it is. */
export type NewWait = { readonly name: string; readonly about: string } & (
  | { readonly type: 'sleep'; readonly timer: StepTimer }
  | {
      readonly type: 'event'
      readonly event: string
      /** Only events with this key; null for all. Signals to the job itself always match. */
      readonly match: string | null
      readonly timer: StepTimer | null
    }
  /** The job to enqueue with the suspension; its end is the end of the wait. */
  | { readonly type: 'invoke'; readonly child: NewJob }
)

/** What a running attempt can do to the steps of its job. */
export type StepOperation =
  /** All of them, in the order in which they were first written. */
  | { readonly type: 'list' }
  /** The value of one. */
  | { readonly type: 'value'; readonly name: string }
  /** Remembers what a function returned. The first write of a name wins. */
  | { readonly type: 'end'; readonly name: string; readonly startedAt: number; readonly value: StoredPayload }
  /** Remembers an error that the handler goes on from. A value that is there stands. */
  | {
      readonly type: 'fail'
      readonly name: string
      readonly stepType: StepType
      readonly startedAt: number
      readonly error: ErrorRecord
    }

/** What came of it. */
export type StepOutcome =
  | { readonly type: 'listed'; readonly steps: readonly RememberedStep[] }
  | { readonly type: 'value'; readonly value: StoredPayload }
  /** `standing` is the value that another attempt had written before: it stands, and what was given is dropped. */
  | { readonly type: 'remembered'; readonly standing?: StoredPayload }
  /** The lease was not the job's current one: nothing was read or changed. */
  | { readonly type: 'stale' }

/** Why a name cannot be the name of a step, or of an event, or its key; undefined where it can. */
export function complaintOfName(name: unknown): string | undefined {
  return typeof name === 'string' && name.length >= 1 && name.length <= 500 && name.isWellFormed()
    ? undefined
    : 'a text of 1 to 500 characters, without lone surrogates'
}
