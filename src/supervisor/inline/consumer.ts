/**
 * One inline consumer, as the supervisor sees it: the slots in the app's thread, the dispatcher that fills them, and the
 * conditions on which it ends. It has ended when its dispatcher is drained and every handler has returned.
 */
import { DueTimer } from '../../actors/due-timer.ts'
import type { InlineDispatcher } from '../../actors/inline-dispatcher.ts'
import type { LeadDispatcher } from '../../actors/lead-dispatcher.ts'
import type { Clock } from '../../clock.ts'
import type { RunEnd, RunOutcome, WorkEnd, WorkOrder } from '../../job/inline-work.ts'
import type { Settlement } from '../../job/outcome.ts'
import type { ClaimedJob } from '../../persistence/commands/claim.ts'
import type { SettleAnswer } from '../../persistence/commands/settle.ts'
import type { ChildRegister } from '../../threads/child-register.ts'
import type { InlineLine } from '../../threads/inline-carrier.ts'
import { InlinePool } from '../../threads/inline-pool.ts'
import type { WorkerMessage } from '../../threads/protocol.ts'

/** What a consumer works with. */
export interface ConsumerOptions {
  readonly order: WorkOrder
  readonly dispatcher: LeadDispatcher
  readonly clock: Clock
  readonly children: ChildRegister
  readonly line: Omit<InlineLine, 'clock'>
  /** One of its jobs has come to an end here. */
  readonly ran: (end: RunEnd) => void
  /** It has ended. */
  readonly ended: (why: WorkEnd) => void
}

/** A consumer. It begins when it is made. */
export class Consumer {
  readonly #options: ConsumerOptions
  readonly #pool: InlinePool
  readonly #dispatcher: InlineDispatcher
  readonly #timer: DueTimer
  #why: WorkEnd | null = null
  #isFinishing = false
  #whenFree: () => void = () => undefined

  /** @throws ReeveError `REEVE_RUNTIME_CLOSED` where the runtime drains. */
  constructor(options: ConsumerOptions) {
    const { order, clock, children, line } = options
    this.#options = options
    this.#pool = new InlinePool({ ...order, ...line, clock, children })
    this.#dispatcher = options.dispatcher.recruit({
      queue: order.queue,
      groupMax: order.groupMax,
      pool: this.#pool,
      listener: { settled: ({ job }, answer, settlement) => options.ran(endOf(job, answer, settlement)) },
      tookNothing: () => this.#tookNothing(),
      draining: () => void this.#finish(),
    })
    this.#timer = new DueTimer(clock, () => this.end('until'))
    void this.#pool.open({ threadIdle: () => this.#slotIsFree() })
    if (order.endsAt !== Number.POSITIVE_INFINITY) this.#timer.set(order.endsAt)
    this.#dispatcher.start()
  }

  /** A message of the handler in a slot. */
  hear(slot: number, message: WorkerMessage): void {
    this.#pool.hear(slot, message)
  }

  /** From now on so many jobs may run at once. */
  resize(slots: number): void {
    this.#pool.resize(slots)
  }

  /** Takes nothing more; a signal asks what runs to stop as well. */
  end(why: WorkEnd): void {
    if (this.#why !== null) return
    this.#why = why
    void this.#dispatcher.drain()
    if (why === 'signal') this.#dispatcher.interruptAll()
  }

  #slotIsFree(): void {
    if (this.#pool.busyCount === 0) this.#whenFree()
    if (this.#pool.isUsedUp && this.#pool.busyCount === 0) return this.end('max')
    // What ran may have been the last: only a claim that takes nothing shows it.
    if (this.#options.order.endsWhenEmpty) this.#dispatcher.wake()
    else this.#dispatcher.fill()
  }

  #tookNothing(): void {
    if (this.#options.order.endsWhenEmpty && this.#pool.busyCount === 0) this.end('empty')
  }

  /**
   * Called by the drain of its dispatcher, whoever began that. Where it was the consumer itself, handlers that do not stop are
   * waited for; where it was the runtime, that one decides for how long.
   */
  async #finish(): Promise<void> {
    if (this.#isFinishing) return
    this.#isFinishing = true
    const why = this.#why ?? 'closed'
    this.#why = why
    this.#timer.cancel()
    await this.#dispatcher.drain()
    if (why !== 'closed' && this.#pool.busyCount > 0) await new Promise<void>((free) => (this.#whenFree = free))
    this.#options.dispatcher.dismiss(this.#dispatcher)
    this.#options.ended(why)
  }
}

function endOf({ group }: ClaimedJob, answer: SettleAnswer, settlement: Settlement | null): RunEnd {
  const outcome = outcomeOf(answer, settlement)
  const asked =
    answer.type === 'settled' && answer.state === 'ready' && settlement?.type === 'snooze' ? settlement.block : undefined
  return { outcome, stoppedGroup: asked?.scope === 'group' ? group : null }
}

function outcomeOf(answer: SettleAnswer, settlement: Settlement | null): RunOutcome {
  if (answer.type === 'stale') return 'released'
  switch (answer.state) {
    case 'completed':
      return 'done'
    case 'discarded':
      return 'dead'
    case 'cancelled':
      return 'cancelled'
    default:
      return settlement?.type === 'fail' ? 'failed' : 'released'
  }
}
