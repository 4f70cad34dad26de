/**
 * A slot of an inline consumer, as a carrier: one run in the app's own thread, told and heard by messages of the client. It
 * cannot be ended. Told to end, it is gone when its handler has returned, and not before: that is the proof which all else
 * rests on, as the exit is for a thread.
 */
import type { Clock } from '../clock.ts'
import type { StopReason } from '../job/kind.ts'
import type { Answered } from './asks.ts'
import type { Carrier, CarrierListener } from './carrier.ts'
import { Cells } from './cells.ts'
import type { Assignment, HelloReply, InlineWord, WorkerMessage } from './protocol.ts'

/** How a slot is spoken to. */
export interface InlineLine {
  readonly clock: Pick<Clock, 'nextTurn'>
  /** Records below this pino level number are not sent. */
  readonly logLevel: number
  send(slot: number, word: InlineWord): void
}

/** One slot. */
export class InlineCarrier implements Carrier {
  /** Node's number of the main thread, which an app's is in nearly all cases. */
  readonly threadId = 0
  readonly pid = null
  readonly up = true
  readonly slot: number
  readonly #line: InlineLine
  readonly #cells = new Cells()
  #listener: CarrierListener | null = null
  #state: 'idle' | 'at work' | 'ending' | 'gone' = 'idle'

  constructor(slot: number, line: InlineLine) {
    this.slot = slot
    this.#line = line
  }

  listen(listener: CarrierListener): void {
    this.#listener = listener
  }

  /** There is no module to load: the handler is there already. */
  async hello(): Promise<HelloReply> {
    return { ok: true, catalog: {}, prints: {}, failed: [] }
  }

  assign(assignment: Assignment): void {
    this.#state = 'at work'
    const { logLevel } = this.#line
    this.#line.send(this.slot, { type: 'take', assignment, cells: this.#cells.buffer, logLevel })
  }

  startedAt(run: number): number | null {
    return this.#cells.startedAt(run)
  }

  requestStop(run: number, reason: StopReason): void {
    this.#cells.requestStop(run, reason)
    this.#line.send(this.slot, { type: 'stop', run, reason })
  }

  answer(run: number, question: number, answer: Answered): void {
    this.#line.send(this.slot, { type: 'answered', run, question, answer })
  }

  /** What the handler says. With its outcome it is back. */
  hear(message: WorkerMessage): void {
    const isOver = message.type === 'outcome'
    const isEnding = this.#state === 'ending'
    if (isOver) this.#state = 'idle'
    this.#listener?.message(message)
    if (isOver && isEnding) this.#exit()
  }

  dismiss(): void {
    this.end()
  }

  end(): void {
    if (this.#state === 'at work') this.#state = 'ending'
    else if (this.#state === 'idle') this.#line.clock.nextTurn(() => this.#exit())
  }

  async usedBytes(): Promise<null> {
    return null
  }

  unref(): void {}

  #exit(): void {
    if (this.#state === 'gone') return
    this.#state = 'gone'
    this.#listener?.exited(0, undefined)
  }
}
