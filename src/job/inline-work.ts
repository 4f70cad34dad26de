/** What an inline consumer is told to do, and what comes of it. Types only. */

import type { OwnerId } from './lease.ts'

/** Why an inline consumer has ended. */
export type WorkEnd =
  /** It has run as many jobs as it was to. */
  | 'max'
  /** Its time was up. */
  | 'until'
  /** Nothing of its queue was due any more, and nothing of it ran. */
  | 'empty'
  /** Its signal was aborted. */
  | 'signal'
  /** The runtime was drained or closed. */
  | 'closed'

/** What became of one job that an inline consumer ran. */
export type RunOutcome =
  /** It completed. */
  | 'done'
  /** It failed and will be tried again. */
  | 'failed'
  /** It is a dead letter. */
  | 'dead'
  | 'cancelled'
  /** It was given back uncharged, or its lease was lost. */
  | 'released'

/** How one job that an inline consumer ran has ended. */
export interface RunEnd {
  readonly outcome: RunOutcome
  /** The group that its handler asked to be released; null where it asked for none. */
  readonly stoppedGroup: string | null
}

/** What the supervisor is told of a consumer. */
export interface WorkOrder {
  /** Which supervisor is meant: the app's lock is in its name. */
  readonly owner: OwnerId
  readonly consumer: number
  readonly queue: string
  /** How many jobs at once. */
  readonly slots: number
  /** How many of one group at once; null for any number. */
  readonly groupMax: number | null
  /** How many jobs in all; `Infinity` for any number. */
  readonly runsMax: number
  /** When it ends by itself, wall clock; `Infinity` for never. */
  readonly endsAt: number
  /** Whether it ends once nothing of the queue is due. */
  readonly endsWhenEmpty: boolean
}
