/** All inline consumers of one client, by the number that it has given them. */
import type { LeadDispatcher } from '../../actors/lead-dispatcher.ts'
import type { Clock } from '../../clock.ts'
import type { WorkOrder } from '../../job/inline-work.ts'
import type { ChildRegister } from '../../threads/child-register.ts'
import type { WorkerMessage } from '../../threads/protocol.ts'
import type { SupervisorMessage } from '../messages.ts'
import { Consumer } from './consumer.ts'

/** What consumers work with. */
export interface ConsumersOptions {
  readonly dispatcher: LeadDispatcher
  readonly clock: Clock
  readonly children: ChildRegister
  /** Records below this pino level number are not sent to the supervisor. */
  readonly logLevel: number
  readonly send: (message: SupervisorMessage) => void
}

/** Keeps the consumers. */
export class Consumers {
  readonly #options: ConsumersOptions
  readonly #consumers = new Map<number, Consumer>()

  constructor(options: ConsumersOptions) {
    this.#options = options
  }

  /**
   * Begins one; one that has begun already is left as it is.
   *
   * @throws ReeveError `REEVE_RUNTIME_CLOSED` where the runtime drains.
   */
  begin(order: WorkOrder): void {
    const { send, logLevel, ...services } = this.#options
    const { consumer } = order
    if (this.#consumers.has(consumer)) return
    const made = new Consumer({
      ...services,
      order,
      line: { logLevel, send: (slot, word) => send({ type: 'inline', consumer, slot, word }) },
      ran: (end) => send({ type: 'inline-ran', consumer, ...end }),
      ended: (why) => {
        this.#consumers.delete(consumer)
        send({ type: 'inline-ended', consumer, why })
      },
    })
    this.#consumers.set(consumer, made)
  }

  /** A message of a handler. */
  hear(consumer: number, slot: number, message: WorkerMessage): void {
    this.#consumers.get(consumer)?.hear(slot, message)
  }

  /** From now on so many jobs of it may run at once. */
  resize(consumer: number, slots: number): void {
    this.#consumers.get(consumer)?.resize(slots)
  }

  /** Its signal was aborted. */
  abort(consumer: number): void {
    this.#consumers.get(consumer)?.end('signal')
  }
}
