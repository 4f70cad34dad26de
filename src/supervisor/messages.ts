/** The plain messages between the client and its supervisor thread. Types only: the client may import this file. */

import type { ErrorRecord } from '../job/error-record.ts'
import type { RunEnd, WorkEnd } from '../job/inline-work.ts'
import type { JobEnd, JobEvent } from '../job/job-events.ts'
import type { JobId } from '../job/lease.ts'
import type { NewJob } from '../job/new-job.ts'
import type { ReloadReport } from '../job/reload-report.ts'
import type { StackFrame } from '../job/stack-frame.ts'
import type { Placement } from '../persistence/commands/enqueue.ts'
import type { InlineWord, WorkerMessage } from '../threads/protocol.ts'

/** One call of `enqueue` or `enqueueMany`: all its jobs or none. */
export interface EnqueueCall {
  readonly call: number
  readonly jobs: readonly NewJob[]
  /** How many slices of it came before, as messages of their own; absent: none. */
  readonly parts?: number
}

/** The calls of which not every job was simply inserted, with those jobs. */
export type PlacedCalls = readonly { readonly call: number; readonly jobs: readonly Placement[] }[]

/** What the client sends without waiting for an answer. */
export type ClientMessage =
  /** All enqueues of one tick. */
  | { readonly type: 'enqueue'; readonly calls: readonly EnqueueCall[] }
  /** A slice of a large batch, whose last one comes as a call. */
  | { readonly type: 'enqueue-part'; readonly call: number; readonly jobs: NewJob[] }
  | { readonly type: 'enqueue-abandoned'; readonly call: number }
  /** A call that waits for room in its queue is to be refused, if it still waits. */
  | { readonly type: 'enqueue-withdrawn'; readonly call: number }
  | { readonly type: 'watch'; readonly ids: readonly JobId[] }
  | { readonly type: 'unwatch'; readonly ids: readonly JobId[] }
  /** Where the code of a thread is: the answer to `inspect`. */
  | { readonly type: 'inspected'; readonly question: number; readonly frames: readonly StackFrame[] | null | undefined }
  | { readonly type: 'listen'; readonly events: readonly JobEvent['type'][] }
  /** What a handler in a slot of an inline consumer says. */
  | { readonly type: 'inline'; readonly consumer: number; readonly slot: number; readonly message: WorkerMessage }
  /** How many jobs of an inline consumer may run at once, from now on. */
  | { readonly type: 'inline-slots'; readonly consumer: number; readonly slots: number }
  /** The signal of an inline consumer was aborted. */
  | { readonly type: 'inline-abort'; readonly consumer: number }

/** What the supervisor thread sends. */
export type SupervisorMessage =
  | { readonly type: 'ready' }
  /** The start failed, or a part failed that cannot be restarted alone; the thread ends itself. */
  | { readonly type: 'failed'; readonly error: ErrorRecord }
  | { readonly type: 'enqueued'; readonly calls: readonly number[]; readonly placed: PlacedCalls }
  | { readonly type: 'refused'; readonly call: number; readonly error: ErrorRecord }
  | { readonly type: 'ended'; readonly ends: readonly JobEnd[] }
  | { readonly type: 'missing'; readonly ids: readonly JobId[] }
  | { readonly type: 'events'; readonly events: readonly JobEvent[] }
  /** To a slot of an inline consumer. */
  | { readonly type: 'inline'; readonly consumer: number; readonly slot: number; readonly word: InlineWord }
  /** A job of an inline consumer has come to an end there. */
  | ({ readonly type: 'inline-ran'; readonly consumer: number } & RunEnd)
  /** An inline consumer takes nothing more, and nothing of it runs. */
  | { readonly type: 'inline-ended'; readonly consumer: number; readonly why: WorkEnd }
  /** The jobs were loaded anew. */
  | { readonly type: 'reloaded'; readonly report: ReloadReport }
  /** Something went wrong that no single call can be told of. */
  | { readonly type: 'trouble'; readonly error: ErrorRecord }
  /** Asks for the stack of a thread that is about to be ended. */
  | { readonly type: 'inspect'; readonly question: number; readonly threadId: number }
  /** Lines of pino's JSON. */
  | { readonly type: 'log'; readonly lines: readonly string[] }
