/** The line of a runtime that holds jobs back. */
import { optionInvalid } from '../../errors.ts'
import type { Jobs, KindOf } from '../../job/definition.ts'
import { type Pause, type PauseTarget, pauseTarget, pauseTerms } from '../../job/pause.ts'
import { Locking } from './locking.ts'

/** How a pause may end by itself, and why it was made. */
export interface PauseOptions {
  /** When it ends by itself: a Date, or milliseconds since the Unix epoch. Default: it lasts until {@link Pausing.resume}. */
  readonly until?: Date | number
  /** For whoever looks at what is paused. */
  readonly reason?: string
}

/** Pauses and resumes queues, kinds and groups, and closes circuit breakers. */
export abstract class Pausing<J extends Jobs> extends Locking<J> {
  /**
   * Nothing of a queue, a kind, or a group of a queue is begun any more, in any process on the file, until it is resumed. It is
   * stored: a restart changes nothing. What runs goes on, and a job that is claimed already may still begin. A pause that was
   * there is replaced.
   *
   * @throws ReeveError `REEVE_OPTION_INVALID`, `REEVE_DATABASE_…`, `REEVE_SUPERVISOR_DIED`, `REEVE_RUNTIME_CLOSED`.
   * @example
   * ```ts
   * await runtime.pause({ queue: 'mail', group: 'example.com' }, { until: new Date(Date.now() + 60_000), reason: 'asked to slow down' })
   * ```
   */
  async pause(target: PauseTarget, options: PauseOptions = {}): Promise<void> {
    const pause = { target: pauseTarget(target), ...pauseTerms(options) }
    await this.core.thread.call((calls) => calls.pause(pause))
  }

  /**
   * Ends a pause; where there is none it does nothing. A pause of a queue does not end that of its group, nor the reverse.
   *
   * @throws ReeveError as {@link Pausing.pause}.
   */
  async resume(target: PauseTarget): Promise<void> {
    const checked = pauseTarget(target)
    await this.core.thread.call((calls) => calls.resume(checked))
  }

  /** What is paused now, also what a handler asked to be held back for a while. */
  paused(): Promise<readonly Pause[]> {
    return this.core.thread.call((calls) => calls.paused())
  }

  /**
   * Closes the circuit breaker of a kind by hand, in all processes: what it was opened for is mended, and nobody is to wait for its
   * cooldown. The count of failures begins anew; a look that is under way decides nothing any more. Where the breaker is closed, or the
   * kind has none, it does nothing. No event tells of it.
   *
   * @throws ReeveError `REEVE_OPTION_INVALID` where the kind is no name; else as {@link Pausing.pause}.
   * @example
   * ```ts
   * for (const { kind, state } of await runtime.breakers()) if (state === 'open') await runtime.closeBreaker(kind)
   * ```
   */
  async closeBreaker(kind: KindOf<J> | (string & {})): Promise<void> {
    if (typeof kind !== 'string' || kind === '') throw optionInvalid('kind', kind, 'the name of a kind')
    await this.core.thread.call((calls) => calls.closeBreaker(kind))
  }
}
