/**
 * All messages between the supervisor thread and a worker, as types only. A thread's working life is one task of
 * piscina, its shift; assignments go to it, and all that a handler says comes back, by one port of the thread's own,
 * so that a run costs two messages and is decided when that port has closed. To a child process all goes by its channel.
 */
import type { MessagePort } from 'node:worker_threads'
import type { ErrorRecord } from '../job/error-record.ts'
import type { JobFamily } from '../job/flow.ts'
import type { StopReason } from '../job/kind.ts'
import type { JobId, LeaseToken } from '../job/lease.ts'
import type { LoadedJobs } from '../job/loaded-jobs.ts'
import type { NewJob } from '../job/new-job.ts'
import type { Block } from '../job/outcome.ts'
import type { StoredPayload } from '../job/payload.ts'
import type { Budget } from '../job/schedule/budget.ts'
import type { JobTick } from '../job/schedule/job-tick.ts'
import type { NewWait } from '../job/step.ts'
import type { TimingWord } from '../job/timing.ts'
import type { Answered, AskRequest } from './asks.ts'

/** What every worker is told first. */
export interface HelloSettings {
  /** `file:` URL of the jobs module, or of the folder of job files. */
  readonly jobsUrl: string
  /** Files of the folder that took a worker down, by path, with the reason: they are left out. */
  readonly skip: Readonly<Record<string, ErrorRecord>>
  readonly payloadBytesMax: number
  /** How far the thread gives way to others, 0 to 19, where threads have a niceness of their own. */
  readonly niceness: number
  /** Records below this pino level number are not sent; `Infinity` sends none. */
  readonly logLevel: number
  /** How long the `setup` of a kind may take. */
  readonly setupMaxMs: number
}
/** The first task of every thread: gives it its port and its cells, and makes it load the jobs module. */
export interface HelloTask extends HelloSettings {
  readonly type: 'hello'
  readonly port: MessagePort
  readonly cells: SharedArrayBuffer
}
/** Whether the jobs were loaded, and what is there. */
export type HelloReply = ({ readonly ok: true } & LoadedJobs) | { readonly ok: false; readonly error: ErrorRecord }

/** The second and last task of every thread: it takes assignments by its port until it ends. */
export interface ShiftTask {
  readonly type: 'shift'
}
/** All that goes by piscina's port. */
export type WorkerTask = HelloTask | ShiftTask

/** Hands one attempt to a worker that has none. */
export interface AssignmentMessage {
  readonly type: 'assignment'
  readonly assignment: Assignment
}

/** One attempt, as a worker needs it. */
export interface Assignment {
  /** Grows by one for each assignment of a thread, from 1; the cells and all messages name a run by it. */
  readonly run: number
  readonly jobId: JobId
  readonly token: LeaseToken
  readonly kind: string
  readonly queue: string
  readonly group: string | null
  readonly input: StoredPayload
  readonly attempt: number
  readonly attemptsMax: number
  readonly createdAt: number
  /** Absent: it belongs to none. */
  readonly family?: JobFamily
  readonly tick: JobTick | null
  readonly budget: Budget | null
  /** `Infinity` for none. */
  readonly timeoutMs: number
}

/** What a worker says, of a run for the most part. */
export type WorkerMessage =
  /** This file of a folder of jobs is imported next, in the hello. */
  | { readonly type: 'loading'; readonly file: string }
  /** A child process took the run up; a thread stamps its cells instead. */
  | { readonly type: 'started'; readonly run: number }
  /** The `setup` of the run's kind begins; the handler has not. */
  | { readonly type: 'setting-up'; readonly run: number }
  /** A `setup` or `teardown` failed: what no job is to be charged with. */
  | { readonly type: 'resource-failed'; readonly error: ErrorRecord }
  /** `ctx.spawn` started a process, which leads a process group of its own; said before the handler has it. */
  | { readonly type: 'spawned'; readonly run: number; readonly pid: number }
  /** A process of `ctx.spawn` has ended, so that its id may be given to a stranger. */
  | { readonly type: 'spawned-ended'; readonly run: number; readonly pid: number }
  /** The handler ended. `isLeaving`: the worker ends itself now, of a fault, and takes nothing more. */
  | { readonly type: 'outcome'; readonly run: number; readonly outcome: HandlerOutcome; readonly isLeaving?: true }
  | { readonly type: 'progress'; readonly run: number; readonly fraction: number | null; readonly note: string | null }
  | { readonly type: 'log'; readonly run: number; readonly record: LogRecord }
  /** `ctx.timing`. */
  | { readonly type: 'timing'; readonly run: number; readonly word: TimingWord }
  /** A question of the handler; always sent before the run's outcome. */
  | { readonly type: 'ask'; readonly run: number; readonly question: number; readonly request: AskRequest }
  /**
   * An error that came after the outcome of the job that caused it, from a timer or a promise that nobody awaited; the
   * job is null where none has run yet (the jobs module itself). The thread ends itself.
   */
  | {
      readonly type: 'late-fault'
      readonly job: { readonly id: JobId; readonly kind: string } | null
      readonly error: ErrorRecord
    }

/** A line of `ctx.log`. */
export interface LogRecord {
  /** pino's number: 10 trace, 20 debug, 30 info, 40 warn, 50 error, 60 fatal. */
  readonly level: number
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>> | null
  /** Wall clock, milliseconds. */
  readonly at: number
}

/** Whether and when to try again after an error. */
export type RetryWord = 'never' | { readonly delayMs: number }

/** How the handler ended, as the envelope saw it. */
export type HandlerOutcome =
  /** `children` are the jobs that it enqueued; absent: none. */
  | { readonly type: 'returned'; readonly result: StoredPayload; readonly children?: readonly NewJob[] }
  /** `retry` is what the kind's own functions say of it; absent where they say nothing. */
  | { readonly type: 'threw'; readonly error: ErrorRecord; readonly retry?: RetryWord }
  /** `ctx.snooze` and what is like it: uncharged, and what it asks to be held back goes with it. */
  | { readonly type: 'snoozed'; readonly delayMs: number; readonly block?: Block }
  /** `ctx.discard`. */
  | { readonly type: 'discarded'; readonly error: ErrorRecord }
  /** Invalid input, or a result that cannot be stored: another attempt would end the same way. */
  | { readonly type: 'rejected'; readonly error: ErrorRecord }
  /** The handler does nothing but wait; what is left of its code is never run. */
  | { readonly type: 'suspended'; readonly waits: readonly NewWait[] }
  /** The kind's `shouldSkip` said so, and the handler did not run. */
  | { readonly type: 'skipped' }
  /** This thread has no such kind: the job is put back uncharged. */
  | { readonly type: 'unknown-kind'; readonly error: ErrorRecord }
  /** The resource of its kind could not be made here: the job is put back uncharged. */
  | { readonly type: 'setup-failed'; readonly error: ErrorRecord }
  /** The thread was ended by a fault of another job; this one is put back uncharged. */
  | { readonly type: 'bystander'; readonly error: ErrorRecord }

/** What the supervisor says to a worker whose handler is to stop. */
export interface StopMessage {
  readonly type: 'stop'
  readonly run: number
  readonly reason: StopReason
}

/** The answer to a question; it may come after the run's outcome, even while the next run is at work. */
export interface AnsweredMessage {
  readonly type: 'answered'
  readonly run: number
  readonly question: number
  readonly answer: Answered
}

/** Tells a worker that has nothing to do to unmake its resources and end itself. */
export interface LeaveMessage {
  readonly type: 'leave'
}

/** All that goes to a worker while it works. */
export type SupervisorWord = AssignmentMessage | StopMessage | AnsweredMessage | LeaveMessage

/** What goes to a slot of an inline consumer in the app's thread, which has one run in its life. */
export type InlineWord =
  | {
      readonly type: 'take'
      readonly assignment: Assignment
      readonly cells: SharedArrayBuffer
      /** Records below this pino level number are not sent. */
      readonly logLevel: number
    }
  | StopMessage
  | AnsweredMessage

/** All that is sent to a child process. */
export type ChildTask = (HelloSettings & { readonly type: 'hello' }) | SupervisorWord
/** All that a child process sends: what a worker says, and the answer that piscina carries for a thread. */
export type ChildMessage = WorkerMessage | { readonly type: 'hello-reply'; readonly reply: HelloReply }
