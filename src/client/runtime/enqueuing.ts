/** The enqueuing line of a runtime. */

import { optionInvalid } from '../../errors.ts'
import type { EnqueueArguments, InputOf, Jobs, KindOf, ResultOf } from '../../job/definition.ts'
import type { EnqueueOptions } from '../../job/enqueue-options.ts'
import type { NewJob } from '../../job/new-job.ts'
import type { RoomWait } from '../../job/queue-depth-bound.ts'
import type { EnqueueStatement } from '../../persistence/enqueue-statement.ts'
import { checkInputHere } from '../check-input.ts'
import { enqueueStatement } from '../enqueue-statement.ts'
import type { JobHandle } from '../job-handle.ts'
import type { RuntimeCore } from './core.ts'

/** One job of an `enqueueMany`. */
export type JobToEnqueueOf<J extends Jobs> = {
  [K in KindOf<J>]: { readonly kind: K; readonly options?: EnqueueOptions } & (undefined extends InputOf<J, K>
    ? { readonly input?: InputOf<J, K> }
    : { readonly input: InputOf<J, K> })
}[KindOf<J>]

/** The options of an `enqueueMany` as a whole; `onDone` beside them. */
export interface BatchOptions {
  /** How long to wait where a queue of the batch is full and lets enqueues wait. */
  readonly waitForRoom?: RoomWait
}

/** The handles of an `enqueueMany`, in the order of its jobs. */
export type HandlesOf<J extends Jobs, T extends readonly JobToEnqueueOf<J>[]> = {
  -readonly [I in keyof T]: JobHandle<ResultOf<J, T[I]['kind']>>
}

/** Puts jobs into the queue. */
export abstract class Enqueuing<J extends Jobs> {
  /** @internal */
  protected readonly core: RuntimeCore<J>

  /** @internal */
  protected constructor(core: RuntimeCore<J>) {
    this.core = core
  }

  /**
   * Stores a job and resolves once it is committed. The enqueues of one tick share one commit.
   *
   * @throws ReeveError `REEVE_PAYLOAD_UNCLONEABLE` with the path, `REEVE_PAYLOAD_TOO_LARGE`, `REEVE_OPTION_INVALID`,
   * `REEVE_QUEUE_FULL` (by the bound of its queue), `REEVE_JOB_DUPLICATE` (its `jobId` is the job that holds the key), `REEVE_JOB_NOT_FOUND` (of a job in `after`),
   * `REEVE_JOB_NOT_ENQUEUED` (nothing was stored; the cause says why), `REEVE_SUPERVISOR_DIED` (it may have been
   * stored), `REEVE_RUNTIME_CLOSED`; with `definitions`, `REEVE_INPUT_INVALID` and `REEVE_KIND_UNKNOWN`.
   * @example
   * ```ts
   * const handle = await runtime.enqueue('thumbnail', { file: 'a.png', width: 200 }, { priority: 1 })
   * ```
   */
  async enqueue<K extends KindOf<J>>(
    kind: K,
    ...[input, options]: EnqueueArguments<J, K, EnqueueOptions>
  ): Promise<JobHandle<ResultOf<J, K>>> {
    this.core.refuseClosed()
    if (this.core.options.definitions !== undefined) await checkInputHere(this.core.options.definitions, kind, input)
    const job = this.core.newJob(kind, input, options)
    const [handle] = await this.core.enqueue<ResultOf<J, K>>(1, () => job, options?.waitForRoom)
    return handle as JobHandle<ResultOf<J, K>>
  }

  /**
   * Stores several jobs, all or none, and resolves with their handles in the same order. A hundred thousand are encoded and sent in
   * slices of a few milliseconds, and committed at once; leave their inputs as they are until it resolves. With `onDone` a further job is stored with
   * them that runs after all of them; its handle is `handles.onDone`.
   *
   * @throws As {@link Enqueuing.enqueue}; where one job is refused, none is stored.
   * @example
   * ```ts
   * const handles = await runtime.enqueueMany(files.map((file) => ({ kind: 'thumbnail', input: { file, width: 200 } })))
   * ```
   */
  async enqueueMany<const T extends readonly JobToEnqueueOf<J>[]>(jobs: T, options?: BatchOptions): Promise<HandlesOf<J, T>>
  async enqueueMany<const T extends readonly JobToEnqueueOf<J>[], const D extends JobToEnqueueOf<J>>(
    jobs: T,
    options: BatchOptions & { readonly onDone: D },
  ): Promise<HandlesOf<J, T> & { readonly onDone: JobHandle<ResultOf<J, D['kind']>> }>
  async enqueueMany(
    jobs: readonly JobToEnqueueOf<J>[],
    { onDone, waitForRoom }: BatchOptions & { readonly onDone?: JobToEnqueueOf<J> } = {},
  ): Promise<JobHandle[] & { onDone?: JobHandle }> {
    this.core.refuseClosed()
    const { definitions } = this.core.options
    const all = onDone === undefined ? [...jobs] : [...jobs, onDone]
    const rowOf = (index: number): NewJob => {
      const job = all[index] as JobToEnqueueOf<J>
      return index === jobs.length ? this.#lastOf(job) : this.core.newJob(job.kind, job.input, job.options)
    }
    const checked = async (index: number): Promise<NewJob> => {
      const { kind, input } = all[index] as JobToEnqueueOf<J>
      await checkInputHere(definitions as J, kind, input)
      return rowOf(index)
    }
    const handles =
      all.length === 0 ? [] : await this.core.enqueue(all.length, definitions === undefined ? rowOf : checked, waitForRoom)
    if (onDone === undefined) return handles
    const last = handles.pop() as JobHandle
    return Object.assign(handles, { onDone: last })
  }

  /**
   * As {@link enqueueStatement}, typed by kind: an enqueue as one SQL statement, for a transaction of your own on the same file.
   *
   * @throws ReeveError as {@link enqueueStatement} does.
   */
  enqueueStatement<K extends KindOf<J>>(kind: K, ...[input, options]: EnqueueArguments<J, K, EnqueueOptions>): EnqueueStatement {
    return enqueueStatement(kind, input, options)
  }

  /** The job after a batch runs however the others end, unless it says otherwise: they are done. */
  #lastOf({ kind, input, options = {} }: JobToEnqueueOf<J>): NewJob {
    const { after, afterFailed = 'run' } = options
    if (after !== undefined || options.unique !== undefined)
      throw optionInvalid('onDone', 'given', 'a job without the options `after` and `unique`')
    return { ...this.core.newJob(kind, input, { ...options, afterFailed }), after: { jobs: 'batch', ifFailed: afterFailed } }
  }
}
