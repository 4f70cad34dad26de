/**
 * Answers what running handlers ask. Each question becomes commands that carry the attempt's lease, so that an attempt which
 * has lost it changes nothing; they are submitted in the order in which they were asked, and before the attempt's settle.
 */
import type { Answered, AskRequest, AskType } from '../threads/asks.ts'
import { encodeError } from '../threads/error-codec.ts'
import type { Answerer, AskingAttempt, AskServices } from './asks/answerer.ts'
import { answerKeyValue } from './asks/key-value.ts'
import { answerLock, answerUnlock } from './asks/lock.ts'
import { answerStep } from './asks/step.ts'

const answerers: { readonly [T in AskType]: Answerer<T> } = {
  'key-value': answerKeyValue,
  lock: answerLock,
  unlock: answerUnlock,
  step: answerStep,
}

/** Answers questions. */
export class Asker {
  readonly #services: AskServices

  constructor(services: AskServices) {
    this.#services = services
  }

  /** Answers a question of an attempt that is not decided on. Never rejects. */
  async answer(request: AskRequest, attempt: AskingAttempt): Promise<Answered> {
    try {
      const answerer = answerers[request.type] as Answerer<AskType>
      return { ok: true, value: await answerer(request, attempt, this.#services) }
    } catch (error) {
      return { ok: false, error: encodeError(error) }
    }
  }
}
