/**
 * A simulated machine: processes over one real database file, one clock, and one scheduler that decides what happens next.
 * A process that dies is no longer driven: nothing that it had in flight happens any more.
 */
import type { Scheduler } from 'fast-check'
import type { JobId, OwnerId } from '../../../src/job/lease.ts'
import type { NewJob } from '../../../src/job/new-job.ts'
import type { CancelAnswer } from '../../../src/persistence/commands/cancel.ts'
import type { Answer, Command } from '../../../src/persistence/commands/command.ts'
import type { Presence } from '../../../src/persistence/presence.ts'
import type { SupervisorMessage } from '../../../src/supervisor/messages.ts'
import { History } from './history.ts'
import type { Rig, Snapshot } from './rig.ts'
import { type Later, SimTime, settled } from './sim-clock.ts'
import { SimOwner, simConfig } from './sim-owner.ts'
import { SimPool } from './sim-pool.ts'
import { type CommitFault, simStore } from './sim-store.ts'
import type { Wrong } from './wrong.ts'

/** One commit that took effect. */
export interface Committed {
  readonly owner: OwnerId
  readonly commands: readonly Command[]
  readonly answers: readonly Answer[]
  readonly before: Snapshot
  readonly after: Snapshot
}

/** What judges the run as it goes. */
export interface Judge {
  committed(world: World, commit: Committed): void
  handed(world: World, owner: SimOwner, jobId: JobId, token: number): void
  acknowledged(world: World, jobId: JobId): void
  told(world: World, message: SupervisorMessage): void
  cancelAnswered(world: World, jobId: JobId, answer: CancelAnswer): void
  drained(world: World, owner: SimOwner): void
}

/** The machine. */
export class World {
  readonly rig: Rig
  readonly time = new SimTime()
  readonly history: History
  readonly owners: SimOwner[] = []
  readonly jobs: JobId[] = []
  /** When the cancel of a running job was first requested, by job. */
  readonly cancelRequestedAt = new Map<JobId, number>()
  readonly faults: CommitFault[] = []
  readonly draining = new Set<SimOwner>()
  /** Whose presence lock is held. */
  readonly #present = new Set<OwnerId>()
  readonly #scheduler: Scheduler
  readonly #judge: Judge
  readonly #wrong: Wrong
  readonly #calls = new Map<number, { readonly owner: SimOwner; readonly ids: readonly JobId[] }>()
  #lastCall = 0

  constructor(
    rig: Rig,
    scheduler: Scheduler,
    judge: Judge,
    { wrong = {}, reached }: { wrong?: Wrong; reached?: Map<string, number> } = {},
  ) {
    this.rig = rig
    this.#scheduler = scheduler
    this.#judge = judge
    this.#wrong = wrong
    this.history = new History(reached)
    rig.reset()
  }

  /** Starts a process; resolves at once, the start itself is one of the things that the scheduler orders. */
  startOwner(): SimOwner {
    const id = `owner-${this.owners.length + 1}` as OwnerId
    const later: Later = (label, run) => {
      void this.#scheduler.schedule(Promise.resolve(), `${id} ${label}`).then(() => owner.state === 'dead' || run())
    }
    const clock = this.time.clock(later)
    const { history } = this
    const poolOptions = {
      ...{ owner: id, threads: simConfig.threads, clock, later, history },
      handed: ({ jobId, token }: { jobId: JobId; token: number }) => this.#judge.handed(this, owner, jobId, token),
    }
    const store = simStore({
      store: this.rig.store(this.owners.length),
      later,
      takeFault: () => this.faults.shift(),
      witness: (commands, run) => this.#witness(id, commands, run),
    })
    this.#present.add(id)
    this.rig.register(id)
    const owner: SimOwner = new SimOwner({
      id,
      store: this.#wrong.store?.(store, this.rig, later) ?? store,
      presence: this.#wrong.presence?.(this.#presence(id)) ?? this.#presence(id),
      pool: this.#wrong.pool?.(poolOptions) ?? new SimPool(poolOptions),
      clock,
      told: (message) => this.#told(message),
      escalated: (error) => history.check('no-escalation', false, () => String((error as Error).stack)),
      alter: this.#wrong.services ?? (() => undefined),
    })
    this.owners.push(owner)
    owner.start().catch((error: unknown) => history.check('no-escalation', false, () => String(error)))
    return owner
  }

  enqueue(owner: SimOwner, kinds: readonly string[], delayMs: number): void {
    const jobs = kinds.map((kind): NewJob => {
      const id = `job-${this.jobs.length + 1}` as JobId
      this.jobs.push(id)
      this.history.asked.add(id)
      return {
        id,
        kind,
        queue: 'default',
        group: null,
        priority: 0,
        runAt: this.time.wall + delayMs,
        input: '1',
        timeoutMs: null,
        attemptsMax: null,
        backoff: null,
      }
    })
    const call = ++this.#lastCall
    const ids = jobs.map(({ id }) => id)
    this.#calls.set(call, { owner, ids })
    owner.host.receive({ type: 'enqueue', calls: [{ call, jobs }] })
    owner.host.receive({ type: 'watch', ids })
  }

  async cancel(owner: SimOwner, jobId: JobId): Promise<void> {
    const answer = await owner.host.calls().cancel(jobId)
    if (answer.ok) this.#judge.cancelAnswered(this, jobId, answer.value)
  }

  /** Drains a process; it is told to do so once. */
  async drain(owner: SimOwner, timeoutMs: number): Promise<void> {
    owner.state = 'draining'
    await this.#awaitDrain(owner, owner.host.calls().drain(timeoutMs))
  }

  /** Drains and closes a process. */
  async close(owner: SimOwner): Promise<void> {
    owner.state = 'draining'
    await this.#awaitDrain(owner, owner.host.calls().close(0))
    owner.state = 'closed'
  }

  async #awaitDrain(owner: SimOwner, done: Promise<{ readonly ok: boolean }>): Promise<void> {
    this.draining.add(owner)
    const { ok } = await done
    this.draining.delete(owner)
    this.history.check('drain-keeps', ok, () => `the drain of ${owner.id} failed`)
    this.#judge.drained(this, owner)
  }

  /** The process is gone from one instruction to the next, and so are its threads and its locks. */
  die(owner: SimOwner): void {
    owner.state = 'dead'
    this.draining.delete(owner)
    this.#present.delete(owner.id)
    this.history.dead.add(owner.id)
  }

  /** Lets up to `count` things happen. */
  async release(count: number): Promise<void> {
    for (let index = 0; index < count && this.#scheduler.count() > 0; index++) await this.#releaseOne()
  }

  /** Lets everything happen that can happen at this time. */
  async releaseAll(): Promise<void> {
    for (let index = 0; this.#scheduler.count() > 0; index++) {
      if (index > 5_000) throw new Error('the simulated processes never come to rest')
      await this.#releaseOne()
    }
  }

  async #releaseOne(): Promise<void> {
    await this.#scheduler.waitNext(1)
    await settled()
    const [broken] = this.history.broken
    if (broken !== undefined) throw broken
  }

  #presence(owner: OwnerId): Presence {
    return {
      owner,
      sweep: () => undefined,
      isDead: (other) => other !== owner && !this.#present.has(other),
      forget: (other) => this.rig.unregister(other),
      release: () => {
        this.#present.delete(owner)
        this.rig.unregister(owner)
      },
    }
  }

  async #witness(
    owner: OwnerId,
    commands: readonly Command[],
    run: () => Promise<readonly Answer[]>,
  ): Promise<readonly Answer[]> {
    const before = this.rig.snapshot()
    const answers = await run()
    this.#judge.committed(this, { owner, commands, answers, before, after: this.rig.snapshot() })
    return answers
  }

  /** Whether some enqueue of a living process has no answer yet. */
  get isAwaited(): boolean {
    return [...this.#calls.values()].some(({ owner }) => owner.isAlive)
  }

  #told(message: SupervisorMessage): void {
    if (message.type === 'enqueued') {
      for (const call of message.calls) {
        for (const id of this.#calls.get(call)?.ids ?? []) {
          this.history.acknowledged.add(id)
          this.#judge.acknowledged(this, id)
        }
        this.#calls.delete(call)
      }
    }
    if (message.type === 'refused') this.#calls.delete(message.call)
    this.#judge.told(this, message)
  }
}
