/**
 * The supervisor's side of the two ports to the client: plain messages for what is frequent, comlink for the rest.
 * It translates; the actors do the work.
 */
import type { MessagePort } from 'node:worker_threads'
import { ReeveError } from '../errors.ts'
import type { JobId } from '../job/lease.ts'
import type { CancelAnswer, JobRow } from '../persistence/store.ts'
import { encodeError } from '../threads/error-codec.ts'
import { drain } from './drain.ts'
import type { CallAnswer, ClientMessage, EnqueueCall, SupervisorCalls, SupervisorMessage } from './messages.ts'
import type { Services } from './services.ts'
import type { StackQuestions } from './stack-questions.ts'

/** Answers the client of one runtime. */
export class Host {
  readonly #services: Services
  readonly #send: (message: SupervisorMessage) => void
  readonly #close: () => Promise<void>
  readonly #questions: StackQuestions
  #enqueued: number[] = []

  constructor(options: {
    readonly services: Services
    readonly send: (message: SupervisorMessage) => void
    readonly close: () => Promise<void>
    readonly questions: StackQuestions
  }) {
    this.#services = options.services
    this.#send = options.send
    this.#close = options.close
    this.#questions = options.questions
  }

  /** Takes the client's messages from a port. */
  listen(port: MessagePort): void {
    port.on('message', (message: ClientMessage) => this.receive(message))
  }

  /** One message of the client. */
  receive(message: ClientMessage): void {
    switch (message.type) {
      case 'enqueue':
        return this.#enqueue(message.calls)
      case 'watch':
        return this.#services.notifier.watch(message.ids)
      case 'unwatch':
        return this.#services.notifier.unwatch(message.ids)
      case 'inspected':
        return this.#questions.answered(message.question, message.frames)
      case 'listen':
        return this.#services.notifier.listen(message.events)
    }
  }

  /** What the client calls by comlink. */
  calls(): SupervisorCalls {
    const { store, dispatcher, pool } = this.#services
    return {
      job: (id) => answer(() => store.job(id)),
      cancel: (id) => answer(() => this.#cancel(id)),
      check: () => answer(() => store.violations()),
      counts: () => answer(() => store.counts()),
      load: () => answer(() => ({ ...dispatcher.load(), threads: pool.threadCount(), condemned: pool.condemnedCount() })),
      drain: (timeoutMs) =>
        answer(async () => {
          await drain(this.#services, timeoutMs)
          return null
        }),
      close: (timeoutMs) =>
        answer(async () => {
          await drain(this.#services, timeoutMs)
          await this.#close()
          return { condemned: pool.condemnedCount() }
        }),
    }
  }

  /** The claim goes into the same commit as the enqueue before it, so that an idle thread waits for one fsync, not two. */
  #enqueue(calls: readonly EnqueueCall[]): void {
    const { committer, clock, dispatcher } = this.#services
    const now = clock.wall()
    for (const { call, jobs } of calls) {
      committer.submit({ type: 'enqueue', now, jobs }).then(
        () => this.#acknowledge(call),
        (error: unknown) => this.#send({ type: 'refused', call, error: encodeError(error) }),
      )
    }
    dispatcher.wake()
  }

  /** All acknowledgements of one commit go in one message. */
  #acknowledge(call: number): void {
    if (this.#enqueued.push(call) > 1) return
    this.#services.clock.nextTurn(() => {
      this.#send({ type: 'enqueued', calls: this.#enqueued })
      this.#enqueued = []
    })
  }

  async #cancel(id: JobId): Promise<CancelAnswer> {
    const { committer, clock, dispatcher, announcer, store, presence } = this.#services
    const verdict = await committer.submit({ type: 'cancel', now: clock.wall(), jobId: id })
    if (verdict.type === 'cancel-requested' && verdict.owner === presence.owner)
      dispatcher.cancel({ jobId: id, token: verdict.token })
    if (verdict.type === 'cancelled') announcer.cancelled(subjectOf(await rowOf(store.job(id), id)))
    return verdict
  }
}

async function answer<T>(ask: () => Promise<T> | T): Promise<CallAnswer<T>> {
  try {
    return { ok: true, value: await ask() }
  } catch (error) {
    return { ok: false, error: encodeError(error) }
  }
}

async function rowOf(asked: Promise<JobRow | null>, id: JobId): Promise<JobRow> {
  const row = await asked
  if (row === null) throw new ReeveError('REEVE_JOB_NOT_FOUND', `No job has the id ${id}.`, { jobId: id })
  return row
}

function subjectOf({ id, kind, queue, attempt, token }: JobRow) {
  return { jobId: id, kind, queue, attempt, token }
}
