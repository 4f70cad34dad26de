/**
 * The dispatcher of the worker threads, and the lead of those of inline consumers. Whoever speaks to it speaks to all of them:
 * one owner holds all their leases, and to the rest of the runtime they are one.
 */
import { ReeveError } from '../errors.ts'
import type { KindCatalog } from '../job/kind.ts'
import type { Lease } from '../job/lease.ts'
import type { LocalLimit } from '../job/limits.ts'
import type { Settlement } from '../job/outcome.ts'
import type { SettleAnswer } from '../persistence/commands/settle.ts'
import type { ThreadPool } from '../threads/thread-pool.ts'
import type { Attempt } from './attempt.ts'
import type { DispatchListener } from './dispatch-listener.ts'
import { Dispatcher, type DispatcherOptions } from './dispatcher.ts'
import { type InlineDispatch, InlineDispatcher } from './inline-dispatcher.ts'
import { tellAll } from './listeners.ts'
import { LookGate } from './look-gate.ts'
import type { Occupancy } from './quarantine.ts'
import { noInspector } from './stack-inspector.ts'

/** A new inline consumer. */
export interface Recruit extends Omit<InlineDispatch, 'lead'> {
  readonly pool: ThreadPool
  readonly listener: Partial<DispatchListener>
}

/** Claims and starts jobs, on worker threads and by those that it leads. */
export class LeadDispatcher extends Dispatcher {
  readonly #options: DispatcherOptions
  readonly #led = new Set<InlineDispatcher>()
  #catalog: KindCatalog = {}
  #localLimits: readonly LocalLimit[] = []
  #isDraining = false

  constructor(options: DispatcherOptions) {
    super(options)
    this.#options = options
  }

  /**
   * Makes the dispatcher of an inline consumer, which is to be started. Its queue is taken from by the worker threads no more.
   *
   * @throws ReeveError `REEVE_RUNTIME_CLOSED` where the runtime drains.
   */
  recruit({ pool, listener, ...inline }: Recruit): InlineDispatcher {
    if (this.#isDraining) throw new ReeveError('REEVE_RUNTIME_CLOSED', 'The runtime claims nothing more: it is draining.')
    const { clock } = this.#options
    const options: DispatcherOptions = {
      ...this.#options,
      pool,
      listener: tellAll([this.#options.listener, listener]),
      // The app's own thread is not looked into: it would be stopped by that.
      inspector: new LookGate(noInspector, clock),
    }
    const led = new InlineDispatcher(options, { ...inline, lead: this })
    led.useKinds(this.#catalog, this.#localLimits)
    this.#led.add(led)
    return led
  }

  /** It has ended, and its queue is the worker threads' again. */
  dismiss(led: InlineDispatcher): void {
    led.stop()
    this.#led.delete(led)
    this.wake()
  }

  override useKinds(catalog: KindCatalog, localLimits: readonly LocalLimit[] = []): void {
    this.#catalog = catalog
    this.#localLimits = localLimits
    super.useKinds(catalog, localLimits)
    for (const led of this.#led) led.useKinds(catalog, localLimits)
  }

  override wake(): void {
    super.wake()
    for (const led of this.#led) led.wake()
  }

  override cancel(lease: Lease): void {
    super.cancel(lease)
    for (const led of this.#led) led.cancel(lease)
  }

  override leases(): readonly Lease[] {
    return [...super.leases(), ...[...this.#led].flatMap((led) => led.leases())]
  }

  override leasesLost(leases: readonly Lease[]): void {
    super.leasesLost(leases)
    for (const led of this.#led) led.leasesLost(leases)
  }

  override async drain(): Promise<void> {
    this.#isDraining = true
    await Promise.all([super.drain(), ...[...this.#led].map((led) => led.drain())])
  }

  override interruptAll(): void {
    super.interruptAll()
    for (const led of this.#led) led.interruptAll()
  }

  override load(): { readonly running: number; readonly held: number } {
    const all = [super.load(), ...[...this.#led].map((led) => led.load())]
    const sum = (of: 'running' | 'held') => all.reduce((total, each) => total + each[of], 0)
    return { running: sum('running'), held: sum('held') }
  }

  override stop(): void {
    super.stop()
    for (const led of this.#led) led.stop()
  }

  /** What runs and is held by all. */
  override occupancy(): Occupancy {
    const all = [super.occupancy(), ...[...this.#led].map((led) => led.ownOccupancy())]
    return { busy: all.some(({ busy }) => busy), suspect: all.some(({ suspect }) => suspect) }
  }

  override settled(attempt: Attempt, answer: SettleAnswer, settlement: Settlement | null): void {
    super.settled(attempt, answer, settlement)
    for (const led of this.#led) led.freed()
  }

  override threadFreed(attempt: Attempt): void {
    super.threadFreed(attempt)
    for (const led of this.#led) led.fill()
  }

  protected override queuesExcluded(): readonly string[] {
    return [...new Set([...this.#led].map(({ queue }) => queue))]
  }
}
