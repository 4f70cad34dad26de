/** The seam's part for the durable stream of events: how much of it is kept, and how it is read. */
import type { QueueEvent, QueueEventError, QueueEventType } from '../job/queue-event.ts'

/** How much of the stream is kept: whichever is less. */
export interface EventLogLimits {
  readonly maxCount: number
  /** Null for any age. */
  readonly maxAgeMs: number | null
}

/** An event as it is stored. */
export interface StoredEvent extends Omit<QueueEvent, 'cursor' | 'error'> {
  /** From 1; a number is left out where the stream was off. */
  readonly seq: number
  readonly error: QueueEventError | null
}

/** Which events to read, oldest first. */
export interface EventsQuery {
  /** Behind this one; or from the oldest that is kept (`start`); or none, but where the stream ends now (`end`). */
  readonly after: number | 'start' | 'end'
  /** Null for all. */
  readonly types: readonly QueueEventType[] | null
  /** How many events are looked at, at most; those of other types count too. */
  readonly limit: number
}

/** Some events. */
export interface EventsPage {
  readonly events: readonly StoredEvent[]
  /** The last event that was looked at: go on behind it. */
  readonly cursor: number
  /** Events right behind `after` are gone: they were pruned, or nobody wrote them. */
  readonly isPruned: boolean
  /** Whether more events are there now. */
  readonly hasMore: boolean
}
