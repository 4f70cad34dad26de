/** The line of a runtime that has its queues. */
import { optionInvalid } from '../../errors.ts'
import type { Jobs } from '../../job/definition.ts'
import { Queue } from '../queue.ts'
import { Steering } from './steering.ts'

/** Gives queues by their names. */
export abstract class Queues<J extends Jobs> extends Steering<J> {
  /**
   * A queue, by the name that jobs are enqueued with (`'default'` where none was given): to run its jobs in the app's own thread.
   *
   * @throws ReeveError `REEVE_OPTION_INVALID` where the name is empty.
   * @example
   * ```ts
   * const { done } = await runtime.queue('windows').work((input, ctx) => show(input), { until: 'empty' })
   * ```
   */
  queue(name: string): Queue<J> {
    if (typeof name !== 'string' || name === '') throw optionInvalid('queue', name, 'the name of a queue')
    return new Queue(name, this.core)
  }
}
