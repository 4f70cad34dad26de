/**
 * Brings due jobs of one queue to an inline consumer, whose slots are in the app's own thread. It is led: what a suspect
 * must not run beside is asked of the lead, which knows all that runs here, and cancels, renewals and drains come from there.
 */
import type { Settlement } from '../job/outcome.ts'
import type { ClaimAnswer } from '../persistence/commands/claim.ts'
import type { SettleAnswer } from '../persistence/commands/settle.ts'
import type { Attempt } from './attempt.ts'
import { Dispatcher, type DispatcherOptions } from './dispatcher.ts'
import type { Occupancy } from './quarantine.ts'

/** Who leads it, and what it tells besides. */
export interface InlineDispatch {
  readonly queue: string
  /** Of no group more than so many run at once; null for any number. */
  readonly groupMax: number | null
  readonly lead: Pick<Dispatcher, 'occupancy' | 'fill' | 'freed'>
  /** Nothing of the queue is due, and nothing of it is held. */
  readonly tookNothing: () => void
  /** It claims no more, and what it runs is to end: the consumer's own wish, or the runtime's. */
  readonly draining: () => void
}

/** The dispatcher of one inline consumer. */
export class InlineDispatcher extends Dispatcher {
  readonly #inline: InlineDispatch

  constructor(options: DispatcherOptions, inline: InlineDispatch) {
    super({ ...options, queues: [inline.queue], groupMax: inline.groupMax ?? undefined })
    this.#inline = inline
  }

  /** Which queue it takes from. */
  get queue(): string {
    return this.#inline.queue
  }

  override occupancy(): Occupancy {
    return this.#inline.lead.occupancy()
  }

  /** What runs and is held by this one alone. */
  ownOccupancy(): Occupancy {
    return super.occupancy()
  }

  override drain(): Promise<void> {
    this.#inline.draining()
    return super.drain()
  }

  override settled(attempt: Attempt, answer: SettleAnswer, settlement: Settlement | null): void {
    super.settled(attempt, answer, settlement)
    this.#inline.lead.freed()
  }

  override threadFreed(attempt: Attempt): void {
    super.threadFreed(attempt)
    this.#inline.lead.fill()
  }

  protected override tookNothing({ suspectsDue }: ClaimAnswer): void {
    if (!suspectsDue) this.#inline.tookNothing()
  }
}
