/**
 * The questions of one run to the supervisor. What was asked before the handler ended is sent before its outcome, so it is
 * answered, and applied, whether somebody awaits it or not; after that nothing can be asked.
 */
import type { ReeveError } from '../../errors.ts'
import type { Answered, AskAnswer, AskRequest } from '../asks.ts'
import { reviveError } from '../revive-error.ts'

/** So many questions of a run are under way at once; further ones wait here, so that a loop cannot flood the supervisor. */
const openMax = 64

/** The questions of a run that are not answered. */
export class Questions {
  readonly #send: (question: number, request: AskRequest) => void
  readonly #open = new Map<number, PromiseWithResolvers<AskAnswer>>()
  #waiting: { readonly question: number; readonly request: AskRequest }[] = []
  #asked = 0

  constructor(send: (question: number, request: AskRequest) => void) {
    this.#send = send
  }

  /** Asks, as soon as there is room. */
  ask(request: AskRequest): Promise<AskAnswer> {
    const question = ++this.#asked
    const pending = Promise.withResolvers<AskAnswer>()
    this.#open.set(question, pending)
    if (this.#open.size - this.#waiting.length <= openMax) this.#send(question, request)
    else this.#waiting.push({ question, request })
    return pending.promise
  }

  /** The answer to a question. */
  answered(question: number, answer: Answered): void {
    const pending = this.#open.get(question)
    this.#open.delete(question)
    const next = this.#waiting.shift()
    if (next !== undefined) this.#send(next.question, next.request)
    if (answer.ok) pending?.resolve(answer.value)
    else pending?.reject(reviveError(answer.error))
  }

  /** Sends all that still waits to be sent: the outcome comes next. */
  flush(): void {
    for (const { question, request } of this.#waiting) this.#send(question, request)
    this.#waiting = []
  }

  /** Nobody will answer any more. */
  abandon(error: ReeveError): void {
    for (const pending of this.#open.values()) pending.reject(error)
    this.#open.clear()
    this.#waiting = []
  }

  /** Whether an answer is still to come. */
  get isOpen(): boolean {
    return this.#open.size > 0
  }
}
