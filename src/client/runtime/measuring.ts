/** The line of a runtime that measures the queue. */
import type { Breaker } from '../../job/breaker.ts'
import type { Jobs, KindOf } from '../../job/definition.ts'
import type { KindCounts } from '../../job/kind-counts.ts'
import type { QueueDepth } from '../../job/queue-depth.ts'
import type { RuntimeLoad } from '../../job/runtime-load.ts'
import type { RuntimeStats } from '../../job/runtime-stats.ts'
import type { JobState } from '../../job/state.ts'
import type { Violation } from '../../persistence/store.ts'
import { Inspecting } from './inspecting.ts'

/** Says how much there is, and whether all is well. */
export abstract class Measuring<J extends Jobs> extends Inspecting<J> {
  /** How many jobs are in each state. Takes some 0.1 s for each million that wait, less for those that are over. */
  counts(): Promise<Readonly<Record<JobState, number>>> {
    return this.core.thread.call((calls) => calls.counts())
  }

  /**
   * How many jobs of each kind, in each queue, are in each state. No index knows this, so it reads the whole table, some seconds for
   * a million jobs; in small slices, so that nothing else waits for it. Each job is counted once, as it was when its slice was read.
   */
  countsByKind(): Promise<readonly KindCounts<KindOf<J>>[]> {
    return this.core.thread.call((calls) => calls.countsByKind()) as Promise<readonly KindCounts<KindOf<J>>[]>
  }

  /**
   * What waits and runs, in one queue or in all. What is over costs nothing here; a million waiting jobs cost some 0.1 s.
   *
   * @example
   * ```ts
   * const { due, scheduled, running } = await runtime.depth('mail')
   * ```
   */
  depth(queue?: string): Promise<QueueDepth> {
    return this.core.thread.call((calls) => calls.depth(queue ?? null))
  }

  /**
   * For how many milliseconds the oldest due job has been due, in one queue or in all: how late the queue is. 0 where nothing is due.
   * Cheap however long the backlog is, so it may be asked every second.
   *
   * @example
   * ```ts
   * if ((await runtime.oldestReadyAge()) > 60_000) alert('the queue is a minute late')
   * ```
   */
  oldestReadyAge(queue?: string): Promise<number> {
    return this.core.thread.call((calls) => calls.oldestReadyAge(queue ?? null))
  }

  /**
   * What this runtime has done: how its attempts ended, how long they ran, and how long their jobs had waited, in all and by kind.
   * Counted in memory and always on: it costs about a microsecond a job. Other processes on the file count for themselves.
   *
   * @example
   * ```ts
   * const { kinds, completedPerSecond } = await runtime.stats()
   * console.log(kinds['thumbnail']?.runTime.p95)
   * ```
   */
  async stats(): Promise<RuntimeStats> {
    const stats = await this.core.thread.call((calls) => calls.stats())
    return { ...stats, restarts: this.core.restarts }
  }

  /**
   * The circuit breakers of all kinds that have failed since they last completed, over all processes on the file: whether the kind
   * is held back, and until when. A kind that is not listed is closed, or has no breaker.
   *
   * @example
   * ```ts
   * const held = (await runtime.breakers()).filter(({ state }) => state !== 'closed')
   * ```
   */
  breakers(): Promise<readonly Breaker[]> {
    return this.core.thread.call((calls) => calls.breakers())
  }

  /** What this runtime is doing now. */
  load(): Promise<RuntimeLoad> {
    return this.core.thread.call((calls) => calls.load())
  }

  /**
   * Holds the database against the published invariants, and resolves with what violates them: nothing, when all is well.
   * It reads the whole file on the supervisor thread, where nothing else happens meanwhile.
   *
   * @example
   * ```ts
   * const violations = await runtime.check() // []
   * ```
   */
  check(): Promise<readonly Violation[]> {
    return this.core.thread.call((calls) => calls.check())
  }
}
