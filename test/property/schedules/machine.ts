/**
 * A simulated machine whose processes fire schedules: the real scheduler and committer over one real file, one clock, and a
 * list of what could happen next, of which a program picks. A process that dies is no longer driven.
 */
import { Committer } from '../../../src/actors/committer.ts'
import { Scheduler } from '../../../src/actors/scheduler.ts'
import type { KindCatalog } from '../../../src/job/kind.ts'
import type { JobId, LeaseToken, OwnerId } from '../../../src/job/lease.ts'
import type { NewSchedule } from '../../../src/job/schedule/options.ts'
import type { Answer, Command } from '../../../src/persistence/commands/command.ts'
import type { Store } from '../../../src/persistence/store.ts'
import type { Rig } from '../../support/sim/rig.ts'
import { SimTime, settled } from '../../support/sim/sim-clock.ts'
import { silentLogger } from '../../support/sim/sim-owner.ts'
import { type CommitFault, simStore } from '../../support/sim/sim-store.ts'
import { claim } from '../../support/store/commands.ts'
import type { Judge } from './judge.ts'

/** Puts a mistake into the store of a process. */
export type Wrap = (store: Store, rig: Rig) => Store

interface Process {
  readonly scheduler: Scheduler
  readonly committer: Committer
  isAlive: boolean
}

/** The machine. */
export class Machine {
  readonly time = new SimTime()
  readonly faults: CommitFault[] = []
  readonly failures: unknown[] = []
  readonly #rig: Rig
  readonly #judge: Judge
  readonly #wrap: Wrap
  readonly #catalog: KindCatalog
  readonly #processes: Process[] = []
  /** What could happen next. */
  readonly #ready: { readonly process: Process; readonly run: () => void }[] = []
  /** The connection of whoever runs jobs. */
  readonly #worker: Store
  #ids = 0

  constructor(options: {
    readonly rig: Rig
    readonly judge: Judge
    readonly schedules: readonly NewSchedule[]
    readonly wrap: Wrap
  }) {
    this.#rig = options.rig
    this.#judge = options.judge
    this.#wrap = options.wrap
    this.#worker = options.wrap(options.rig.store(4), options.rig)
    this.#catalog = { report: { schedules: options.schedules } }
  }

  /** Starts a process, four at most. */
  start(): void {
    if (this.#processes.filter(({ isAlive }) => isAlive).length >= 4) return
    const later = (_label: string, run: () => void) => void this.#ready.push({ process, run: () => process.isAlive && run() })
    const clock = this.time.clock(later)
    const store = this.#wrap(this.#rig.store(this.#processes.length % 4), this.#rig)
    const seen = simStore({
      store,
      later,
      takeFault: () => this.faults.shift(),
      witness: (_commands, run) => this.#witness(run),
    })
    const committer = new Committer({ store: seen, clock, logger: silentLogger })
    const scheduler = new Scheduler({
      store: seen,
      committer,
      clock,
      random: { id: () => `id-${++this.#ids}` },
      owner: `owner-${this.#processes.length}` as OwnerId,
      logger: silentLogger,
      fired: () => undefined,
      stop: () => undefined,
      cancelled: () => undefined,
      failed: (error) => void this.failures.push(error),
    })
    const process: Process = { scheduler, committer, isAlive: true }
    this.#processes.push(process)
    scheduler.useKinds(this.#catalog)
    scheduler.start().catch((error: unknown) => this.failures.push(error))
  }

  /** Ends a process in the middle of whatever it does. */
  kill(index: number): void {
    const living = this.#processes.filter(({ isAlive }) => isAlive)
    const process = living[index % Math.max(living.length, 1)]
    if (process !== undefined) process.isAlive = false
  }

  /** Lets one of the things happen that could. */
  async go(pick: number): Promise<void> {
    await settled()
    const [next] = this.#ready.splice(pick % Math.max(this.#ready.length, 1), 1)
    next?.run()
    await settled()
  }

  /** Lets all happen that can at this time. Whoever watches the file tells each process of what others wrote. */
  async rest(): Promise<void> {
    for (;;) {
      await settled()
      const ready = this.#ready.splice(0)
      if (ready.length === 0) return
      for (const { run } of ready) {
        run()
        await settled()
      }
    }
  }

  /** Tells all processes to look, as the watcher does. */
  lookAll(): void {
    for (const { isAlive, scheduler } of this.#processes) if (isAlive) scheduler.look()
  }

  /** A worker somewhere takes a job that is ready and brings it to an end. */
  async endJob(outcome: 'complete' | 'discard'): Promise<void> {
    const run = (commands: readonly Command[]) => this.#witness(() => this.#worker.commit(commands))
    const now = this.time.wall
    const [taken] = await run([claim({ now, limit: 1 })])
    const held = this.#rig.db
      .prepare<[], { id: JobId; token: LeaseToken }>(
        "SELECT id, token FROM reeve_jobs WHERE state = 'running' ORDER BY seq LIMIT 1",
      )
      .get()
    if (taken === undefined || held === undefined) return
    const error = { name: 'Error', message: 'no' }
    const settlement =
      outcome === 'complete' ? ({ type: 'complete', result: null } as const) : ({ type: 'discard', error } as const)
    await run([{ type: 'settle', now, lease: { jobId: held.id, token: held.token }, settlement }])
  }

  /** A worker somewhere begins a job that is ready, and does not come back for a while. */
  async beginJob(): Promise<void> {
    await this.#witness(() => this.#worker.commit([claim({ now: this.time.wall, limit: 1 })]))
  }

  async #witness(run: () => Promise<readonly Answer[]>): Promise<readonly Answer[]> {
    const before = this.#judge.snapshot()
    const answers = await run()
    this.#judge.committed(before, this.time.wallMax)
    return answers
  }
}
