/** All inline consumers of a runtime, and the locks that keep their jobs from being taken while a supervisor is being replaced. */
import type { Clock } from '../../clock.ts'
import { ReeveError } from '../../errors.ts'
import type { WorkOrder } from '../../job/inline-work.ts'
import type { OwnerId } from '../../job/lease.ts'
import type { SupervisorThread } from '../supervisor-thread.ts'
import { Consumer, type ConsumerMessage, type ConsumerOptions } from './consumer.ts'
import { InlinePresence } from './inline-presence.ts'

/** What to do, before it is known by whom. */
export type Work = Omit<WorkOrder, 'owner' | 'consumer'>

/** The consumers of one runtime. */
export class Consumers {
  readonly #thread: SupervisorThread
  readonly #clock: Clock
  readonly #presence: InlinePresence
  readonly #consumers = new Map<number, Consumer>()
  /** Supervisors in whose name a lock is held; the present one is the last. */
  readonly #owners = new Set<OwnerId>()
  #present: OwnerId | null = null
  /** Handlers at work whose supervisor is gone. */
  #orphans = 0
  #made = 0

  constructor(thread: SupervisorThread, database: string, clock: Clock) {
    this.#thread = thread
    this.#clock = clock
    this.#presence = new InlinePresence(database)
  }

  /**
   * Makes a consumer; `begin` sets it to work.
   *
   * @throws ReeveError `REEVE_RUNTIME_CLOSED`, `REEVE_DATABASE_…` where its lock cannot be taken.
   */
  make(work: Work, run: Pick<ConsumerOptions, 'definitionOf' | 'resource' | 'payloadBytesMax'>): Consumer {
    const number = ++this.#made
    const consumer = new Consumer({
      ...run,
      order: { ...work, consumer: number },
      send: (message) => this.#thread.send(message),
      place: (order) => this.#place(order),
      orphaned: () => void this.#orphans++,
      returned: () => {
        this.#orphans--
        this.#release()
      },
    })
    this.#consumers.set(number, consumer)
    const forget = () => void this.#consumers.delete(number)
    consumer.ended.then(forget, forget)
    return consumer
  }

  /** A message for one of them. */
  receive(message: ConsumerMessage): void {
    this.#consumers.get(message.consumer)?.receive(message)
  }

  /** The supervisor thread is gone; with an error, for good. */
  lose(error: ReeveError | null): void {
    for (const consumer of this.#consumers.values()) {
      if (error === null) consumer.lose()
      else consumer.close(error)
    }
    this.#present = null
    this.#release()
  }

  /** There is a new one: it is given what is left to do. */
  resume(): void {
    for (const consumer of this.#consumers.values()) consumer.begin().catch((error: Error) => this.#refused(consumer, error))
  }

  /** The runtime is closed. Handlers that are still at work keep their jobs from being taken until they return. */
  async close(): Promise<void> {
    // What the supervisor said last may still be on its way, by another port than its answer to the close.
    await new Promise<void>((resolve) => this.#clock.nextTurn(resolve))
    for (const consumer of this.#consumers.values()) consumer.close(null)
    this.#present = null
    this.#release()
  }

  /** The lock is there before the first job can be: whoever looks never meets one without the other. */
  async #place(order: Omit<WorkOrder, 'owner'>): Promise<void> {
    const owner = await this.#thread.call((calls) => calls.owner())
    this.#owners.add(owner)
    this.#present = owner
    await this.#presence.hold(owner)
    await this.#thread.call((calls) => calls.consume({ ...order, owner }))
  }

  /** Gives up the locks of the dead, once none of their handlers is at work. */
  #release(): void {
    if (this.#orphans > 0) return
    for (const owner of this.#owners) {
      if (owner === this.#present) continue
      this.#owners.delete(owner)
      this.#presence.release(owner)
    }
    if (this.#owners.size === 0) this.#presence.close()
  }

  /** A supervisor that died meanwhile is followed by another one, which is asked anew. */
  #refused(consumer: Consumer, error: Error): void {
    if (error instanceof ReeveError && error.code === 'REEVE_SUPERVISOR_DIED') return
    consumer.close(error)
  }
}
