/** How much waits. Types only. */

/** What waits and runs in a queue, or in all of them, at one moment. */
export interface QueueDepth {
  /** Ready jobs whose time has come: the backlog. */
  readonly due: number
  /** Ready jobs whose time has not come: delayed, or waiting for a retry. */
  readonly scheduled: number
  readonly running: number
}
