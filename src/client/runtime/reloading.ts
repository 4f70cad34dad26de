/** The line of a runtime that knows its kinds and loads them anew. */
import type { Jobs, KindOf } from '../../job/definition.ts'
import { type JobsReload, reloadOf } from '../jobs-reload.ts'
import { Keeping } from './keeping.ts'

/** Loads the jobs anew while others run. */
export abstract class Reloading<J extends Jobs> extends Keeping<J> {
  /** The kinds that this runtime can run now; none with `threads: 0`. */
  kinds(): Promise<readonly KindOf<J>[]> {
    return this.core.thread.call((calls) => calls.kinds()) as Promise<readonly KindOf<J>[]>
  }

  /**
   * Loads the jobs module, or all job files, anew. Once it resolves every attempt starts on the new code, under the new options;
   * what runs meanwhile ends on the old code, and no job is lost. A file that does not load is in `failed`, and its jobs wait.
   *
   * @throws ReeveError `REEVE_JOBS_UNLOADABLE` or `REEVE_JOBS_INVALID` where nothing loads: the old code goes on. Also
   * `REEVE_SUPERVISOR_DIED` (the next one loads them anew as well) and `REEVE_RUNTIME_CLOSED`.
   * @example
   * ```ts
   * const { added, changed, removed, failed } = await runtime.reload()
   * ```
   */
  async reload(): Promise<JobsReload> {
    return reloadOf(await this.core.thread.call((calls) => calls.reload()))
  }
}
