/**
 * The supervisor's side of the two ports to the client: plain messages for what is frequent, comlink for the rest.
 * It translates; the actors do the work.
 */
import type { MessagePort } from 'node:worker_threads'
import type { EnqueueAnswer, Placement } from '../persistence/commands/enqueue.ts'
import { encodeError } from '../threads/error-codec.ts'
import { type SupervisorCalls, supervisorCalls } from './calls/supervisor-calls.ts'
import { EnqueueParts } from './enqueue-parts.ts'
import { partLost, refusalError } from './enqueue-refusal.ts'
import { Consumers } from './inline/consumers.ts'
import { workerLogLevel } from './logging.ts'
import type { ClientMessage, EnqueueCall, SupervisorMessage } from './messages.ts'
import { registerOf } from './orphans.ts'
import type { Services } from './services.ts'
import type { StackQuestions } from './stack-questions.ts'

/** Answers the client of one runtime. */
export class Host {
  readonly #services: Services
  readonly #send: (message: SupervisorMessage) => void
  readonly #close: () => Promise<void>
  readonly #questions: StackQuestions
  readonly #consumers: Consumers
  readonly #parts = new EnqueueParts()
  #enqueued: number[] = []
  #placed: { readonly call: number; readonly jobs: readonly Placement[] }[] = []

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
    this.#consumers = consumersOf(options.services, options.send)
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
      case 'enqueue-part':
        return this.#parts.add(message.call, message.jobs)
      case 'enqueue-abandoned':
        return this.#parts.abandon(message.call)
      case 'watch':
        return this.#services.notifier.watch(message.ids)
      case 'unwatch':
        return this.#services.notifier.unwatch(message.ids)
      case 'inspected':
        return this.#questions.answered(message.question, message.frames)
      case 'listen':
        return this.#services.notifier.listen(message.events)
      case 'inline':
        return this.#consumers.hear(message.consumer, message.slot, message.message)
      case 'inline-slots':
        return this.#consumers.resize(message.consumer, message.slots)
      case 'inline-abort':
        return this.#consumers.abort(message.consumer)
    }
  }

  /** What the client calls by comlink. */
  calls(): SupervisorCalls {
    return supervisorCalls(this.#services, this.#close, this.#consumers)
  }

  /** The claim goes into the same commit as the enqueue before it, so that an idle thread waits for one fsync, not two. */
  #enqueue(calls: readonly EnqueueCall[]): void {
    const { committer, clock, dispatcher } = this.#services
    const now = clock.wall()
    for (const each of calls) {
      const { call } = each
      const jobs = this.#parts.take(each)
      if (jobs === null) {
        this.#send({ type: 'refused', call, error: encodeError(partLost()) })
        continue
      }
      committer.submit({ type: 'enqueue', now, jobs }).then(
        (answer) => this.#answer(call, answer),
        (error: unknown) => this.#send({ type: 'refused', call, error: encodeError(error) }),
      )
    }
    dispatcher.wake()
  }

  #answer(call: number, answer: EnqueueAnswer): void {
    if (answer.type === 'refused') return this.#send({ type: 'refused', call, error: encodeError(refusalError(answer.refusal)) })
    if (answer.placed !== undefined) this.#placed.push({ call, jobs: answer.placed })
    this.#acknowledge(call)
  }

  /** All acknowledgements of one commit go in one message. */
  #acknowledge(call: number): void {
    if (this.#enqueued.push(call) > 1) return
    this.#services.clock.nextTurn(() => {
      this.#send({ type: 'enqueued', calls: this.#enqueued, placed: this.#placed })
      this.#enqueued = []
      this.#placed = []
    })
  }
}

function consumersOf(
  { dispatcher, clock, children, presence, config }: Services,
  send: (message: SupervisorMessage) => void,
): Consumers {
  const logLevel = workerLogLevel(config.logLevel, config.jobLogs)
  return new Consumers({ dispatcher, clock, children: registerOf(children, presence.owner), logLevel, send })
}
