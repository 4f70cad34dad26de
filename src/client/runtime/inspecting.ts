/** The line of a runtime that looks in. */
import type { Jobs, KindOf, ResultOf } from '../../job/definition.ts'
import type { JobId } from '../../job/lease.ts'
import type { RuntimeLoad } from '../../job/runtime-load.ts'
import type { JobState } from '../../job/state.ts'
import type { Violation } from '../../persistence/store.ts'
import { type JobHandle, notFound } from '../job-handle.ts'
import { type JobSnapshot, snapshotOf } from '../job-snapshot.ts'
import { Enqueuing } from './enqueuing.ts'

/** Shows jobs, and how all is. */
export abstract class Inspecting<J extends Jobs> extends Enqueuing<J> {
  /** Everything that is known of a job now, or null where no job has this id. */
  async get(id: string): Promise<JobSnapshot | null> {
    const row = await this.core.thread.call((calls) => calls.job(id as JobId))
    return row === null ? null : snapshotOf(row)
  }

  /**
   * A handle on a job by its id, also one that another process enqueued: to wait for it, or to cancel it.
   *
   * @throws ReeveError `REEVE_JOB_NOT_FOUND`.
   */
  async handle<K extends KindOf<J>>(id: string): Promise<JobHandle<ResultOf<J, K>>> {
    const row = await this.core.thread.call((calls) => calls.job(id as JobId))
    if (row === null) throw notFound(id)
    return this.core.handle(row)
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

  /** How many jobs are in each state. */
  counts(): Promise<Readonly<Record<JobState, number>>> {
    return this.core.thread.call((calls) => calls.counts())
  }

  /** What this runtime is doing now. */
  load(): Promise<RuntimeLoad> {
    return this.core.thread.call((calls) => calls.load())
  }
}
