/** Keep events: the command that begins or ends the durable stream of events, and its answer. */
import type { EventLogLimits } from '../event-log.ts'

/** From this commit on every change of a job writes its event, whichever process makes it; null ends that. */
export interface KeepEventsCommand {
  readonly type: 'keep-events'
  readonly limits: EventLogLimits | null
}
/** It is so. */
export interface KeepEventsAnswer {
  readonly type: 'events-kept'
}
