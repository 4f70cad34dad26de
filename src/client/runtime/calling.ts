/** The line of a runtime that enqueues and waits in one call. */
import type { EnqueueArguments, Jobs, KindOf, ResultOf } from '../../job/definition.ts'
import type { EnqueueOptions } from '../../job/enqueue-options.ts'
import type { ResultOptions } from '../job-handle.ts'
import { Enqueuing } from './enqueuing.ts'

/** The options of {@link Calling.call}: those of an enqueue, and how long to wait. */
export interface CallOptions extends EnqueueOptions {
  /** Bounds the wait for the result; the job itself goes on. (`timeout` beside it bounds the handler.) Default: no bound. */
  readonly wait?: ResultOptions
}

/** Enqueues a job and waits for its result. */
export abstract class Calling<J extends Jobs> extends Enqueuing<J> {
  /**
   * Enqueues a job and resolves with what its handler returned. The job is as durable as any other: where the wait ends early, or
   * this process with it, the job goes on, and `handle(error.jobId)` takes the wait up again, in any process on the file.
   *
   * @throws As {@link Enqueuing.enqueue} and `JobHandle.result`.
   * @example
   * ```ts
   * const { path } = await runtime.call('thumbnail', { file: 'a.png', width: 200 }, { wait: { timeout: '1m' } })
   * ```
   */
  async call<K extends KindOf<J>>(
    kind: K,
    ...[input, options = {}]: EnqueueArguments<J, K, CallOptions>
  ): Promise<ResultOf<J, K>> {
    const { wait, ...enqueueOptions } = options
    const handle = await this.enqueue(kind, ...([input, enqueueOptions] as EnqueueArguments<J, K, EnqueueOptions>))
    return handle.result(wait)
  }
}
