/** The runtime as the app's thread sees it: it never opens the database; it sends messages to the supervisor thread. */
import { type Clock, realClock } from '../clock.ts'
import { type Duration, durationMs } from '../duration.ts'
import { ReeveError } from '../errors.ts'
import type { EnqueueArguments, InputOf, Jobs, KindOf, ResultOf } from '../job/definition.ts'
import type { JobId } from '../job/lease.ts'
import { encodePayload } from '../job/payload.ts'
import type { RuntimeLoad } from '../job/runtime-load.ts'
import type { JobState } from '../job/state.ts'
import type { NewJob, Violation } from '../persistence/store.ts'
import { realRandom } from '../random.ts'
import type { SupervisorMessage } from '../supervisor/messages.ts'
import { checkInputHere } from './check-input.ts'
import { type EnqueueOptions, newJobOf } from './enqueue-options.ts'
import { Enqueuer } from './enqueuer.ts'
import { EventHub, type RuntimeEventName, type RuntimeEvents } from './events.ts'
import { type HandleServices, JobHandle, notFound } from './job-handle.ts'
import { type JobSnapshot, snapshotOf } from './job-snapshot.ts'
import { relayLines } from './log-relay.ts'
import { configOf, type RuntimeOptions } from './options.ts'
import { reviveError } from './revive-error.ts'
import { closedError, SupervisorThread, type ThreadListener } from './supervisor-thread.ts'
import { Waits } from './waits.ts'

const closeTimeoutDefault = '10s'

/** One job of an `enqueueMany`. */
export type JobToEnqueueOf<J extends Jobs> = {
  [K in KindOf<J>]: { readonly kind: K; readonly options?: EnqueueOptions } & (undefined extends InputOf<J, K>
    ? { readonly input?: InputOf<J, K> }
    : { readonly input: InputOf<J, K> })
}[KindOf<J>]

/** A running Reeve. Made by {@link createRuntime}. */
export class Runtime<J extends Jobs = Jobs> implements AsyncDisposable {
  readonly #options: RuntimeOptions<J>
  readonly #payloadBytesMax: number
  readonly #clock: Clock
  readonly #thread: SupervisorThread
  readonly #enqueuer: Enqueuer
  readonly #waits: Waits
  readonly #events: EventHub
  readonly #handleServices: HandleServices
  #closing: Promise<void> | undefined

  private constructor(options: RuntimeOptions<J>, payloadBytesMax: number, clock: Clock, thread: SupervisorThread) {
    this.#options = options
    this.#payloadBytesMax = payloadBytesMax
    this.#clock = clock
    this.#thread = thread
    this.#enqueuer = new Enqueuer(thread)
    this.#waits = new Waits(thread)
    this.#events = new EventHub((events) => thread.send({ type: 'listen', events }))
    this.#handleServices = {
      waits: this.#waits,
      clock,
      cancel: (id) => thread.call((calls) => calls.cancel(id)),
    }
  }

  /** @internal */
  static async open<J extends Jobs>(options: RuntimeOptions<J>): Promise<Runtime<J>> {
    const config = configOf(options)
    const clock = realClock()
    // Nothing but log lines can come before the runtime exists: the thread answers what it is asked.
    let runtime: Runtime<J> | undefined
    const listener: ThreadListener = {
      message(message) {
        if (message.type === 'log') relayLines(message.lines, options.logger)
        else if (runtime !== undefined) runtime.#receive(message)
      },
      died(cause, final) {
        if (runtime !== undefined) runtime.#died(cause, final)
      },
      restarted() {
        if (runtime !== undefined) runtime.#restarted()
      },
    }
    const thread = await SupervisorThread.start(config, listener, clock)
    runtime = new Runtime(options, config.payloadBytesMax, clock, thread)
    return runtime
  }

  /**
   * Stores a job and resolves once it is committed. The enqueues of one tick share one commit.
   *
   * @throws ReeveError `REEVE_PAYLOAD_UNCLONEABLE` with the path, `REEVE_PAYLOAD_TOO_LARGE`, `REEVE_OPTION_INVALID`,
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
    this.#refuseClosed()
    if (this.#options.definitions !== undefined) await checkInputHere(this.#options.definitions, kind, input)
    const job = this.#newJob(kind, input, options)
    await this.#enqueuer.enqueue([job])
    return this.#handle(job)
  }

  /**
   * Stores several jobs, all or none, and resolves with their handles in the same order.
   *
   * @throws As {@link Runtime.enqueue}; where one job is refused, none is stored.
   * @example
   * ```ts
   * const handles = await runtime.enqueueMany(files.map((file) => ({ kind: 'thumbnail', input: { file, width: 200 } })))
   * ```
   */
  async enqueueMany<const T extends readonly JobToEnqueueOf<J>[]>(
    jobs: T,
  ): Promise<{ -readonly [I in keyof T]: JobHandle<ResultOf<J, T[I]['kind']>> }> {
    this.#refuseClosed()
    const { definitions } = this.#options
    if (definitions !== undefined) for (const { kind, input } of jobs) await checkInputHere(definitions, kind, input)
    const rows = jobs.map(({ kind, input, options }) => this.#newJob(kind, input, options))
    if (rows.length > 0) await this.#enqueuer.enqueue(rows)
    return rows.map((row) => this.#handle(row)) as { -readonly [I in keyof T]: JobHandle<ResultOf<J, T[I]['kind']>> }
  }

  /** Everything that is known of a job now, or null where no job has this id. */
  async get(id: string): Promise<JobSnapshot | null> {
    const row = await this.#thread.call((calls) => calls.job(id as JobId))
    return row === null ? null : snapshotOf(row)
  }

  /**
   * A handle on a job by its id, also one that another process enqueued: to wait for it, or to cancel it.
   *
   * @throws ReeveError `REEVE_JOB_NOT_FOUND`.
   */
  async handle<K extends KindOf<J>>(id: string): Promise<JobHandle<ResultOf<J, K>>> {
    const row = await this.#thread.call((calls) => calls.job(id as JobId))
    if (row === null) throw notFound(id)
    return this.#handle(row)
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
    return this.#thread.call((calls) => calls.check())
  }

  /** How many jobs are in each state. */
  counts(): Promise<Readonly<Record<JobState, number>>> {
    return this.#thread.call((calls) => calls.counts())
  }

  /** What this runtime is doing now. */
  load(): Promise<RuntimeLoad> {
    return this.#thread.call((calls) => calls.load())
  }

  /**
   * Calls `listener` for each event; events that nobody listens to are not even sent. Returns the function that ends it.
   *
   * @example
   * ```ts
   * const off = runtime.on('discarded', ({ jobId, error }) => console.error(jobId, error))
   * ```
   */
  on<E extends RuntimeEventName>(event: E, listener: (event: RuntimeEvents<J>[E]) => void): () => void {
    return this.#events.on(event, listener)
  }

  /**
   * Claims nothing more, and resolves when all that runs here has ended. After `timeout` (default: none) handlers are
   * asked to stop, and after their grace their threads are ended; their jobs are `ready` again, uncharged.
   */
  async drain(options: { readonly timeout?: Duration } = {}): Promise<void> {
    const timeoutMs = durationMs(options.timeout ?? Number.POSITIVE_INFINITY, 'timeout', { infinite: true })
    await this.#thread.call((calls) => calls.drain(timeoutMs))
  }

  /**
   * Drains (with `timeout`, default 10 s), closes the database and ends all threads. Waits that are still open are
   * rejected with `REEVE_RUNTIME_CLOSED`; the jobs stay. Calling it twice is fine.
   */
  close(options: { readonly timeout?: Duration } = {}): Promise<void> {
    const timeoutMs = durationMs(options.timeout ?? closeTimeoutDefault, 'timeout', { infinite: true })
    this.#closing ??= this.#close(timeoutMs)
    return this.#closing
  }

  /** Closes the runtime at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Lets the process end while this runtime is open. What runs then is interrupted, and runs again at the next start. */
  unref(): this {
    this.#thread.keepAlive(false)
    return this
  }

  /** Undoes {@link Runtime.unref}. */
  ref(): this {
    this.#thread.keepAlive(true)
    return this
  }

  #newJob(kind: string, input: unknown, options: EnqueueOptions | undefined): NewJob {
    const now = this.#clock.wall()
    return newJobOf({ id: realRandom.id(now) as JobId, kind, input: encodePayload(input, this.#payloadBytesMax), now }, options)
  }

  #handle<Result>({ id, kind }: { readonly id: JobId; readonly kind: string }): JobHandle<Result> {
    return new JobHandle<Result>(id, kind, this.#handleServices)
  }

  #receive(message: SupervisorMessage): void {
    switch (message.type) {
      case 'enqueued':
        return this.#enqueuer.acknowledged(message.calls)
      case 'refused':
        return this.#enqueuer.refused(message.call, reviveError(message.error))
      case 'ended':
        return this.#waits.ended(message.ends)
      case 'missing':
        return this.#waits.missing(message.ids, notFound)
      case 'events':
        return this.#events.receive(message.events)
      case 'trouble':
        return this.#events.emit('error', { error: reviveError(message.error) })
      default:
        return undefined
    }
  }

  #died(cause: Error, final: boolean): void {
    const error = cause instanceof ReeveError ? cause : new ReeveError('REEVE_SUPERVISOR_DIED', cause.message, { cause })
    this.#enqueuer.rejectAll(error, final)
    if (final) this.#waits.rejectAll(error)
    this.#events.emit('error', { error })
  }

  #restarted(): void {
    this.#thread.send({ type: 'listen', events: this.#events.wanted() })
    this.#waits.resume()
    this.#events.emit('restarted', {})
  }

  async #close(timeoutMs: number): Promise<void> {
    try {
      await this.#thread.close(timeoutMs)
    } finally {
      this.#enqueuer.rejectAll(closedError(), true)
      this.#waits.rejectAll(closedError())
    }
  }

  #refuseClosed(): void {
    if (this.#closing !== undefined) throw closedError()
  }
}
