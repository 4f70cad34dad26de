/**
 * Asks the client for the stacks of threads, by message: only the app's thread has an inspector that sees the threads of
 * this one. An attempt waits for the answer, so every question has an end.
 */
import type { StackInspector } from '../actors/stack-inspector.ts'
import type { Clock, Timer } from '../clock.ts'
import type { StackFrame } from '../job/stack-frame.ts'
import type { SupervisorMessage } from './messages.ts'

/** The client bounds its look itself; this much longer it may be busy, which says nothing of the thread. */
const clientBusyMs = 150
/** A thread that answers slowly gets ten times its bound, as the client counts it. */
const slowestAnswer = 11

interface Question {
  readonly answer: (frames: readonly StackFrame[] | null | undefined) => void
  readonly timer: Timer
}

/** The open questions of one supervisor thread. */
export class StackQuestions implements StackInspector {
  readonly available: boolean
  readonly #answerMaxMs: number
  readonly #clock: Clock
  readonly #send: (message: SupervisorMessage) => void
  readonly #open = new Map<number, Question>()
  #asked = 0

  constructor(options: {
    /** How long a thread may take to give a sign; 0 asks none. */
    readonly boundMs: number
    readonly clock: Clock
    readonly send: (message: SupervisorMessage) => void
  }) {
    this.available = options.boundMs > 0
    this.#answerMaxMs = options.boundMs * slowestAnswer + clientBusyMs
    this.#clock = options.clock
    this.#send = options.send
  }

  framesOf(threadId: number): Promise<readonly StackFrame[] | null | undefined> {
    if (!this.available) return Promise.resolve(undefined)
    const question = ++this.#asked
    return new Promise((answer) => {
      const timer = this.#clock.after(this.#answerMaxMs, () => this.answered(question, undefined))
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
