/** What all lines of a runtime's surface share: the supervisor thread, and who waits for what. */
import { type Clock, realClock } from '../../clock.ts'
import { ReeveError } from '../../errors.ts'
import type { Jobs } from '../../job/definition.ts'
import { type EnqueueOptions, newJobOf } from '../../job/enqueue-options.ts'
import type { JobId } from '../../job/lease.ts'
import type { NewJob } from '../../job/new-job.ts'
import { encodePayload, type StoredPayload } from '../../job/payload.ts'
import type { RoomWait } from '../../job/queue-depth-bound.ts'
import type { EnqueueResult } from '../../persistence/commands/enqueue.ts'
import { realRandom } from '../../random.ts'
import type { SupervisorConfig } from '../../supervisor/config.ts'
import type { SupervisorMessage } from '../../supervisor/messages.ts'
import { reviveError } from '../../threads/revive-error.ts'
import { Consumers } from '../consuming/consumers.ts'
import { enqueueSlices } from '../enqueue-slices.ts'
import { Enqueuer } from '../enqueuer.ts'
import { EventHub } from '../events.ts'
import { type HandleServices, JobHandle, notFound } from '../job-handle.ts'
import { reloadOf } from '../jobs-reload.ts'
import { relayLines } from '../log-relay.ts'
import { configOf, type RuntimeOptions } from '../options.ts'
import { closedError, SupervisorThread, type ThreadListener } from '../supervisor-thread.ts'
import { Waits } from '../waits.ts'

/** The inside of a runtime. */
export class RuntimeCore<J extends Jobs> {
  readonly options: RuntimeOptions<J>
  readonly clock: Clock
  readonly thread: SupervisorThread
  readonly enqueuer: Enqueuer
  readonly events: EventHub
  readonly payloadBytesMax: number
  readonly consumers: Consumers
  readonly #waits: Waits
  readonly #handleServices: HandleServices
  #closing: Promise<void> | undefined
  #restarts = 0
  readonly #deathListeners = new Set<() => void>()

  private constructor(options: RuntimeOptions<J>, config: SupervisorConfig, clock: Clock, thread: SupervisorThread) {
    this.options = options
    this.payloadBytesMax = config.payloadBytesMax
    this.clock = clock
    this.thread = thread
    this.enqueuer = new Enqueuer(thread)
    this.consumers = new Consumers(thread, config.databasePath, clock)
    this.#waits = new Waits(thread)
    this.events = new EventHub((events) => thread.send({ type: 'listen', events }))
    this.#handleServices = { waits: this.#waits, clock, cancel: (id) => thread.call((calls) => calls.cancel(id)) }
  }

  /** Checks the options and starts the supervisor thread. */
  static async open<J extends Jobs>(options: RuntimeOptions<J>): Promise<RuntimeCore<J>> {
    const config = configOf(options)
    const clock = realClock()
    // Before the core exists the thread can only log, and tell what was wrong at the start.
    let core: RuntimeCore<J> | undefined
    const early: SupervisorMessage[] = []
    const listener: ThreadListener = {
      message(message) {
        if (message.type === 'log') relayLines(message.lines, options.logger)
        else if (core !== undefined) core.#receive(message)
        else early.push(message)
      },
      died(cause, final) {
        if (core !== undefined) core.#died(cause, final)
      },
      restarted() {
        if (core !== undefined) core.#restarted()
      },
      listened: () => core?.events.wanted() ?? [],
    }
    const thread = await SupervisorThread.start(config, listener, clock)
    const opened = new RuntimeCore(options, config, clock, thread)
    core = opened
    // Once whoever waits for the runtime has had the time to listen.
    if (early.length > 0) clock.nextTurn(() => early.forEach((message) => opened.#receive(message)))
    return opened
  }

  /** Calls `died` at each death of the supervisor thread; returns how to listen no more. */
  onDeath(died: () => void): () => void {
    this.#deathListeners.add(died)
    return () => void this.#deathListeners.delete(died)
  }

  /** Encodes an input, within the cap of this runtime. */
  encode(input: unknown): StoredPayload {
    return encodePayload(input, this.payloadBytesMax)
  }

  /** Makes the row of a job that is to be enqueued. */
  newJob(kind: string, input: unknown, options: EnqueueOptions | undefined): NewJob {
    const now = this.clock.wall()
    return newJobOf({ id: realRandom.id(now) as JobId, kind, input: this.encode(input), now }, options)
  }

  /** A handle on a job. `enqueued` says what an enqueue came to, where it was one that made the handle. */
  handle<Result>(
    { id, kind }: { readonly id: JobId; readonly kind: string },
    enqueued: EnqueueResult | null = null,
  ): JobHandle<Result> {
    return new JobHandle<Result>(id, kind, enqueued, this.#handleServices)
  }

  /** Enqueues jobs, all or none, and gives a handle for each: on the job that stands for it. */
  async enqueue<Result>(
    count: number,
    rowOf: (index: number) => NewJob | Promise<NewJob>,
    wait?: RoomWait,
  ): Promise<JobHandle<Result>[]> {
    const { jobs, placed } = await enqueueSlices(count, rowOf, this, wait)
    const others = new Map(placed.map((placement) => [placement.index, placement]))
    return jobs.map((job, index) => {
      const placement = others.get(index)
      if (placement === undefined) return this.handle<Result>(job, 'new')
      return this.handle<Result>({ id: placement.jobId, kind: placement.kind }, placement.result)
    })
  }

  /** How often the supervisor thread was restarted after a death. */
  get restarts(): number {
    return this.#restarts
  }

  /** Throws where the runtime is closing or closed. */
  refuseClosed(): void {
    if (this.#closing !== undefined) throw closedError()
  }

  /** Drains and ends the thread; a second call waits for the first one. */
  close(timeoutMs: number): Promise<void> {
    this.#closing ??= this.#close(timeoutMs)
    return this.#closing
  }

  async #close(timeoutMs: number): Promise<void> {
    try {
      await this.thread.close(timeoutMs)
    } finally {
      await this.consumers.close()
      this.enqueuer.rejectAll(closedError(), true)
      this.#waits.rejectAll(closedError())
    }
  }

  #receive(message: SupervisorMessage): void {
    switch (message.type) {
      case 'enqueued':
        return this.enqueuer.acknowledged(message.calls, message.placed)
      case 'refused':
        return this.enqueuer.refused(message.call, reviveError(message.error))
      case 'ended':
        return this.#waits.ended(message.ends)
      case 'missing':
        return this.#waits.missing(message.ids, notFound)
      case 'inline':
      case 'inline-ran':
      case 'inline-ended':
        return this.consumers.receive(message)
      case 'events':
        return this.events.receive(message.events)
      case 'reloaded':
        return this.events.emit('reloaded', reloadOf(message.report))
      case 'trouble':
        return this.events.emit('error', { error: reviveError(message.error) })
      default:
        return undefined
    }
  }

  #died(cause: Error, final: boolean): void {
    const error = cause instanceof ReeveError ? cause : new ReeveError('REEVE_SUPERVISOR_DIED', cause.message, { cause })
    this.enqueuer.rejectAll(error, final)
    if (final) this.#waits.rejectAll(error)
    this.consumers.lose(final ? error : null)
    for (const died of [...this.#deathListeners]) died()
    this.events.emit('error', { error })
  }

  #restarted(): void {
    this.#restarts++
    this.#waits.resume()
    this.consumers.resume()
    this.events.emit('restarted', {})
  }
}
