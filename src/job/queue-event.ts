/** The durable stream of events: what can happen to a job, as the store itself wrote it down. */
import type { JobId } from './lease.ts'

/** Every type of event, in the order of a job's life. */
export const queueEventTypes = [
  'enqueued',
  'claimed',
  'completed',
  'retrying',
  'snoozed',
  'interrupted',
  'reclaimed',
  'discarded',
  'cancelled',
  'suspended',
  'woken',
  'parked',
  'reopened',
  'retried',
  'deleted',
] as const

/**
 * What happened: `retrying`: an attempt failed and the job runs again; `snoozed`: put back uncharged, for later; `interrupted`: put
 * back uncharged, at its old place; `reclaimed`: taken back from a dead process; `woken`: what it was suspended for has come;
 * `reopened`: it was parked; `retried`: it was over and starts again by hand; `deleted`: gone before it was over.
 */
export type QueueEventType = (typeof queueEventTypes)[number]

/** Of an event's error, what fits: the message is cut to 500 characters. */
export interface QueueEventError {
  readonly name: string | null
  readonly message: string | null
  readonly code: string | null
}

/** One event. It was written in the transaction that made it true. */
export interface QueueEvent<Kind extends string = string> {
  /** Where it stands in the stream: `events({ after: cursor })` goes on behind it, in any process and at any later time. */
  readonly cursor: string
  /** Wall clock, milliseconds since the Unix epoch. */
  readonly at: number
  readonly type: QueueEventType
  readonly jobId: JobId
  readonly kind: Kind
  readonly queue: string
  readonly attempt: number
  readonly token: number
  /** When the job is due, where it waits now; else null. */
  readonly runAt: number | null
  /** Of `retrying`, `reclaimed` and `discarded`. */
  readonly error: QueueEventError | null
}
