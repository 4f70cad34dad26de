/**
 * What a handler can ask of the supervisor while it runs, as plain data: a question goes by the run's own channel, its answer
 * comes back by the same, two messages in all. A new one is a line here, a function in `worker/` that asks it, and a file in
 * `actors/asks/` that answers it under the attempt's lease.
 */
import type { ErrorRecord } from '../job/error-record.ts'
import type { KeyValueOperation, KeyValueOutcome } from '../job/key-value.ts'
import type { LockOutcome, LockWish } from '../job/lock.ts'
import type { StepOperation, StepOutcome } from '../job/step.ts'

/** Each question, by its type, with the answer that belongs to it. */
interface Asks {
  /** `ctx.kv`. */
  readonly 'key-value': {
    readonly request: { readonly type: 'key-value'; readonly operation: KeyValueOperation }
    readonly answer: KeyValueOutcome
  }
  /** `ctx.lock`: answered when it is taken, or not to be had. */
  readonly lock: {
    readonly request: { readonly type: 'lock'; readonly wish: LockWish; readonly taking: string }
    readonly answer: LockOutcome
  }
  /** The function that held a lock has ended. */
  readonly unlock: {
    readonly request: { readonly type: 'unlock'; readonly name: string; readonly taking: string }
    readonly answer: null
  }
  /** `ctx.step`. */
  readonly step: {
    readonly request: { readonly type: 'step'; readonly operation: StepOperation }
    readonly answer: StepOutcome
  }
}

/** The types of all questions. */
export type AskType = keyof Asks
/** A question. */
export type AskRequest<T extends AskType = AskType> = Asks[T]['request']
/** What a question is answered with. */
export type AskAnswer<T extends AskType = AskType> = Asks[T]['answer']

/** An answer on its way; an error travels as data. */
export type Answered = { readonly ok: true; readonly value: AskAnswer } | { readonly ok: false; readonly error: ErrorRecord }
