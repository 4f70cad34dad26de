/**
 * One call of `work`, as the app's thread sees it: the handlers at work, the counts so far, and the orders that it gives to one
 * supervisor thread after the other. A handler that outlives its supervisor keeps its slot, and the supervisor's jobs are
 * safe from being taken, until it has returned.
 */
import type { RunEnd, RunOutcome, WorkEnd, WorkOrder } from '../../job/inline-work.ts'
import type { ClientMessage, SupervisorMessage } from '../../supervisor/messages.ts'
import type { InlineWord, WorkerMessage } from '../../threads/protocol.ts'
import { InlineRun, type InlineRunOptions } from './inline-run.ts'

/** What a consumer works with. */
export interface ConsumerOptions extends Omit<InlineRunOptions, 'post'> {
  readonly order: Omit<WorkOrder, 'owner'>
  readonly send: (message: ClientMessage) => void
  /** Gives an order to the present supervisor. Rejects where there is none, or it refuses. */
  readonly place: (order: Omit<WorkOrder, 'owner'>) => Promise<void>
  /** A handler at work has lost its supervisor. */
  readonly orphaned: () => void
  /** Such a one has returned. */
  readonly returned: () => void
}

/** A message that is meant for a consumer. */
export type ConsumerMessage = Extract<SupervisorMessage, { readonly consumer: number }>

/** A consumer. */
export class Consumer {
  /** Why it has ended, once it has; rejects where the supervisor is given up. */
  readonly ended: Promise<WorkEnd>
  readonly counts: Record<RunOutcome, number> = { done: 0, failed: 0, dead: 0, cancelled: 0, released: 0 }
  /** The groups that a handler asked to be released, in the order in which they were first. */
  readonly stoppedGroups = new Set<string>()
  readonly #options: ConsumerOptions
  readonly #end = Promise.withResolvers<WorkEnd>()
  readonly #runs = new Map<number, InlineRun>()
  /** Handlers whose supervisor is gone. */
  readonly #lost = new Set<InlineRun>()
  #taken = 0
  #isAborted = false

  constructor(options: ConsumerOptions) {
    this.#options = options
    this.ended = this.#end.promise
    this.ended.catch(() => undefined)
  }

  /** Gives the order for what is left to do, of jobs and of slots. */
  async begin(): Promise<void> {
    const { order, place } = this.#options
    if (order.runsMax - this.#taken <= 0) return this.#end.resolve('max')
    await place({ ...order, slots: this.#freeSlots(), runsMax: order.runsMax - this.#taken })
    if (this.#isAborted) this.abort()
  }

  /** Its signal was aborted. */
  abort(): void {
    this.#isAborted = true
    this.#options.send({ type: 'inline-abort', consumer: this.#options.order.consumer })
  }

  /** A message of the present supervisor. */
  receive(message: ConsumerMessage): void {
    if (message.type === 'inline-ran') this.#ran(message)
    else if (message.type === 'inline-ended') this.#ended(message.why)
    else this.#hear(message.slot, message.word)
  }

  /** The supervisor thread is gone. Its jobs are given back once their handlers have returned. */
  lose(): void {
    for (const run of this.#runs.values()) {
      run.lose()
      if (run.isOver) continue
      this.#lost.add(run)
      this.#options.orphaned()
      void run.over.then(() => this.#returned(run))
    }
    this.#runs.clear()
    const { done, failed, dead, cancelled, released } = this.counts
    this.counts.released += this.#taken - (done + failed + dead + cancelled + released)
  }

  /** The runtime is closed, or (with an error) given up. */
  close(error: Error | null): void {
    if (error === null) return this.#ended('closed')
    this.lose()
    this.#end.reject(error)
  }

  /** At the end of a runtime there may be handlers that did not stop: their supervisor has given them up. */
  #ended(why: WorkEnd): void {
    this.lose()
    this.#end.resolve(why)
  }

  #freeSlots(): number {
    return Math.max(this.#options.order.slots - this.#lost.size, 0)
  }

  #ran({ outcome, stoppedGroup }: RunEnd): void {
    this.counts[outcome]++
    if (stoppedGroup !== null) this.stoppedGroups.add(stoppedGroup)
  }

  #hear(slot: number, word: InlineWord): void {
    if (word.type === 'take') return this.#take(slot, word)
    const run = this.#runs.get(slot)
    run?.hear(word)
    if (run?.isDone) this.#runs.delete(slot)
  }

  #take(slot: number, word: Extract<InlineWord, { type: 'take' }>): void {
    this.#taken++
    const { order, send } = this.#options
    const post = (message: WorkerMessage) => send({ type: 'inline', consumer: order.consumer, slot, message })
    const run = new InlineRun(word, { ...this.#options, post })
    this.#runs.set(slot, run)
    void run.over.then(() => {
      if (this.#runs.get(slot) === run && run.isDone) this.#runs.delete(slot)
    })
  }

  #returned(run: InlineRun): void {
    this.#lost.delete(run)
    const { order, send, returned } = this.#options
    send({ type: 'inline-slots', consumer: order.consumer, slots: this.#freeSlots() })
    returned()
  }
}
