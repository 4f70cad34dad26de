/** The line of a runtime that follows the durable stream of events. */
import type { Jobs, KindOf } from '../../job/definition.ts'
import type { QueueEvent } from '../../job/queue-event.ts'
import { type EventsOptions, eventsQuery, followEvents } from '../follow-events.ts'
import { Scheduling } from './scheduling.ts'

/** Tells what happens to jobs, in whichever process, and what happened while nobody listened. */
export abstract class Following<J extends Jobs> extends Scheduling<J> {
  /**
   * Follows what happens to all jobs of the file, in the order of the commits, whichever process made them; it never ends by itself.
   * Keep the cursor of the last event that you have dealt with: after a restart `events({ after })` goes on behind it and misses none.
   * Events are read as fast as the loop takes them. Needs the option `eventLog` (of any runtime on the file).
   *
   * @throws ReeveError `REEVE_EVENTS_OFF`, `REEVE_EVENTS_PRUNED`, `REEVE_RUNTIME_CLOSED`, and at once `REEVE_OPTION_INVALID`.
   * @example
   * ```ts
   * for await (const event of runtime.events({ after: saved, types: ['completed', 'discarded'] })) {
   *   await tell(event.type, event.jobId)
   *   save(event.cursor)
   * }
   * ```
   */
  events(options: EventsOptions = {}): AsyncGenerator<QueueEvent<KindOf<J>>, void, undefined> {
    const query = eventsQuery(options)
    return followEvents(query, options.signal, (next) => this.core.thread.call((calls) => calls.events(next)))
  }
}
