/**
 * The supervisor's side of the two ports to the client: plain messages for what is frequent, comlink for the rest.
 * It translates; the actors do the work.
 */
import type { MessagePort } from 'node:worker_threads'
import { type SupervisorCalls, supervisorCalls } from './calls/supervisor-calls.ts'
import { Enqueues } from './enqueues.ts'
import { Consumers } from './inline/consumers.ts'
import { workerLogLevel } from './logging.ts'
import type { ClientMessage, SupervisorMessage } from './messages.ts'
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
  readonly #enqueues: Enqueues

  constructor(options: {
    readonly services: Services
    readonly send: (message: SupervisorMessage) => void
    readonly close: () => Promise<void>
    readonly questions: StackQuestions
  }) {
    this.#services = options.services
    this.#send = options.send
    this.#close = async () => {
      this.#enqueues.stop()
      await options.close()
    }
    this.#questions = options.questions
    const failed = (error: unknown) => options.services.failed('committer', error)
    this.#enqueues = new Enqueues({ ...options.services, failed }, options.send)
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
        return this.#enqueues.enqueue(message.calls)
      case 'enqueue-part':
        return this.#enqueues.part(message.call, message.jobs)
      case 'enqueue-abandoned':
        return this.#enqueues.abandoned(message.call)
      case 'enqueue-withdrawn':
        return this.#enqueues.withdraw(message.call)
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
}

function consumersOf(
  { dispatcher, clock, children, presence, config }: Services,
  send: (message: SupervisorMessage) => void,
): Consumers {
  const logLevel = workerLogLevel(config.logLevel, config.jobLogs)
  return new Consumers({ dispatcher, clock, children: registerOf(children, presence.owner), logLevel, send })
}
