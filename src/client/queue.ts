/** One queue of a runtime, to work on its jobs in the app's own thread. */
import { ReeveError } from '../errors.ts'
import type { JobContext } from '../job/context.ts'
import { type AnyJobDefinition, type InputOf, type Jobs, job, type KindOf, type ResultOf } from '../job/definition.ts'
import type { WorkEnd } from '../job/inline-work.ts'
import { encodeError } from '../threads/error-codec.ts'
import type { Consumer } from './consuming/consumer.ts'
import { type WorkOptions, workOf } from './consuming/work-options.ts'
import type { RuntimeCore } from './runtime/core.ts'

/** Runs any job of a queue in the app's thread. */
export type WorkHandler<J extends Jobs, Resource = undefined> = (
  input: InputOf<J, KindOf<J>>,
  ctx: JobContext<Awaited<Resource>>,
) => unknown

/** A handler for each kind that the queue holds; a job of another kind is put back for a while, uncharged. */
export type WorkHandlers<J extends Jobs, Resource = undefined> = {
  readonly [K in KindOf<J>]?: (
    input: InputOf<J, K>,
    ctx: JobContext<Awaited<Resource>>,
  ) => ResultOf<J, K> | Promise<ResultOf<J, K>>
}

/** What an inline consumer has done. */
export interface WorkSummary {
  /** Jobs that completed. */
  readonly done: number
  /** Attempts that failed and will be made again. */
  readonly failed: number
  /** Jobs that became dead letters. */
  readonly dead: number
  readonly cancelled: number
  /** Jobs that were given back uncharged, or whose lease was lost. */
  readonly released: number
  /** How many jobs of the queue are ready, now or later; null where the runtime is closed. */
  readonly remaining: number | null
  /** Groups that a handler asked to be left alone for a while (`ctx.releaseGroup`), each once. */
  readonly stoppedGroups: readonly string[]
  readonly endedBecause: WorkEnd
}

/** A queue by its name. Made by `runtime.queue`. */
export class Queue<J extends Jobs> {
  readonly name: string
  readonly #core: RuntimeCore<J>

  /** @internal */
  constructor(name: string, core: RuntimeCore<J>) {
    this.name = name
    this.#core = core
  }

  /**
   * Runs jobs of this queue in the app's own thread, for handlers that need what lives here (a window, a browser tab), and
   * resolves with what was done. The queue is this consumer's: meanwhile the worker threads of this runtime take nothing of it.
   *
   * Leases, retries, cancels and `ctx` are as on a worker thread, but nothing can stop a handler here. At its timeout, a cancel or a drain
   * `ctx.signal` aborts, and the job stays `running`, and its slot taken, until the handler returns.
   *
   * @throws ReeveError `REEVE_OPTION_INVALID`, `REEVE_SETUP_FAILED`, `REEVE_RUNTIME_CLOSED`, `REEVE_SUPERVISOR_FAILED`.
   * @example
   * ```ts
   * const summary = await runtime.queue('pages').work((url, ctx) => ctx.resource.visit(url), {
   *   concurrency: 4,
   *   until: 'empty',
   *   worker: { setup: () => openBrowser(), teardown: (browser) => browser.close() },
   * })
   * ```
   */
  async work<Resource = undefined>(
    handler: WorkHandler<J, Resource> | WorkHandlers<J, Resource>,
    options: WorkOptions<Resource> = {},
  ): Promise<WorkSummary> {
    this.#core.refuseClosed()
    const work = workOf(this.name, options, this.#core.clock.wall())
    const { definitionOf, resource } = definitionsOf(handler, options)
    const value = resource === undefined ? undefined : await inOrder('setup', () => resource.setup.call(resource.self))
    try {
      const { payloadBytesMax, consumers } = this.#core
      const kept = resource === undefined ? null : { of: resource, value }
      const consumer = consumers.make(work, { definitionOf, payloadBytesMax, resource: kept })
      return await this.#untilEnded(consumer, options.signal)
    } finally {
      if (resource !== undefined) await inOrder('teardown', () => resource.teardown?.call(resource.self, value as never))
    }
  }

  async #untilEnded(consumer: Consumer, signal: AbortSignal | undefined): Promise<WorkSummary> {
    const abort = () => consumer.abort()
    try {
      if (signal?.aborted) return await this.#summary(consumer, 'signal')
      await consumer.begin()
      signal?.addEventListener('abort', abort)
      if (signal?.aborted) abort()
      return await this.#summary(consumer, await consumer.ended)
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  async #summary({ counts, stoppedGroups }: Consumer, endedBecause: WorkEnd): Promise<WorkSummary> {
    const depth = this.#core.thread.call((calls) => calls.depth(this.name))
    const remaining = await depth.then(
      ({ due, scheduled }) => due + scheduled,
      () => null,
    )
    return { ...counts, remaining, stoppedGroups: [...stoppedGroups], endedBecause }
  }
}

/** The handlers as definitions of kinds, all of one resource. */
function definitionsOf<J extends Jobs, Resource>(
  handler: WorkHandler<J, Resource> | WorkHandlers<J, Resource>,
  { worker }: WorkOptions<Resource>,
) {
  const define = (run: unknown): AnyJobDefinition => job({ ...worker, run } as unknown as Parameters<typeof job>[0])
  const resource = worker === undefined ? undefined : define(() => undefined).resource
  if (typeof handler === 'function') {
    const definition = define(handler)
    return { resource, definitionOf: () => definition }
  }
  const definitions = new Map(Object.entries(handler).map(([kind, run]) => [kind, define(run)]))
  return { resource, definitionOf: (kind: string) => definitions.get(kind) }
}

async function inOrder<T>(what: 'setup' | 'teardown', run: () => T): Promise<Awaited<T>> {
  try {
    return await run()
  } catch (cause) {
    const message = `The ${what} of an inline consumer failed: ${encodeError(cause).message}`
    throw new ReeveError('REEVE_SETUP_FAILED', message, { cause: cause ?? null })
  }
}
