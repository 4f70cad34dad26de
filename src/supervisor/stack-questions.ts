/**
 * Asks the client for the stacks of threads, by message: only the app's thread has an inspector that sees the threads of
 * this one. An attempt waits for the answer, so every question has an end.
 */
import type { StackInspector } from '../actors/stack-inspector.ts'
import type { Clock, Timer } from '../clock.ts'
import type { StackFrame } from '../job/stack-frame.ts'
import type { SupervisorMessage } from './messages.ts'

/** The client itself bounds its look; this bound is for a client that is busy, and says nothing of the thread. */
const answerMaxMs = 250

interface Question {
  readonly answer: (frames: readonly StackFrame[] | null | undefined) => void
  readonly timer: Timer
}

/** The open questions of one supervisor thread. */
export class StackQuestions implements StackInspector {
  readonly available: boolean
  readonly #clock: Clock
  readonly #send: (message: SupervisorMessage) => void
  readonly #open = new Map<number, Question>()
  #asked = 0

  constructor(options: {
    readonly available: boolean
    readonly clock: Clock
    readonly send: (message: SupervisorMessage) => void
  }) {
    this.available = options.available
    this.#clock = options.clock
    this.#send = options.send
  }

  framesOf(threadId: number): Promise<readonly StackFrame[] | null | undefined> {
    if (!this.available) return Promise.resolve(undefined)
    const question = ++this.#asked
    return new Promise((answer) => {
      const timer = this.#clock.after(answerMaxMs, () => this.answered(question, undefined))
      this.#open.set(question, { answer, timer })
      this.#send({ type: 'inspect', question, threadId })
    })
  }

  /** The client's answer; one that comes too late is dropped. */
  answered(question: number, frames: readonly StackFrame[] | null | undefined): void {
    const open = this.#open.get(question)
    this.#open.delete(question)
    open?.timer.cancel()
    open?.answer(frames)
  }
}
