/**
 * Fires schedules. It looks at the rows that are due, decides by pure rules what becomes of their ticks, and submits the decision;
 * where another process was faster, the store says so and it looks again. It keeps nothing that the rows do not say, so
 * it can be started, stopped and killed at any moment.
 */
import type { Clock } from '../clock.ts'
import { ReeveError } from '../errors.ts'
import type { KindCatalog } from '../job/kind.ts'
import type { JobId, Lease, OwnerId } from '../job/lease.ts'
import { dueTime } from '../job/schedule/instants.ts'
import { dueTicks } from '../job/schedule/tick.ts'
import type { CancelledJob, FireScheduleAnswer, FireScheduleCommand } from '../persistence/commands/schedules.ts'
import type { ScheduleRow } from '../persistence/schedule-row.ts'
import type { Store } from '../persistence/store.ts'
import type { Random } from '../random.ts'
import type { Committer } from './committer.ts'
import { DueTimer } from './due-timer.ts'
import type { ServiceLogger } from './service-logger.ts'

/** After a decision that the database refused (a full disk), the next look waits this long. */
const refusedDelayMs = 1_000

/** What a scheduler works with. */
export interface SchedulerOptions {
  readonly store: Pick<Store, 'dueSchedules'>
  readonly committer: Pick<Committer, 'submit'>
  readonly clock: Clock
  readonly random: Pick<Random, 'id'>
  readonly owner: OwnerId
  readonly logger: ServiceLogger
  /** There may be something to claim. */
  readonly fired: () => void
  /** A running job of this owner is to stop: a later tick takes its place. */
  readonly stop: (lease: Lease) => void
  /** A job that waited is cancelled: a later tick has taken its place. */
  readonly cancelled: (job: CancelledJob) => void
  readonly failed: (error: unknown) => void
}

/** Fires the schedules of the kinds that this runtime has. */
export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #timer: DueTimer
  #catalog: KindCatalog = {}
  #isDeclared = false
  /** Schedules that cannot be read here, by their revision: a time zone that this machine does not know. */
  readonly #unreadable = new Map<string, number>()
  #state: 'stopped' | 'idle' | 'looking' | 'look-again' = 'stopped'

  constructor(options: SchedulerOptions) {
    this.#options = options
    this.#timer = new DueTimer(options.clock, () => this.look())
  }

  /** From now on these are the kinds that it fires, and the schedules that code declares are theirs. */
  useKinds(catalog: KindCatalog): void {
    this.#catalog = catalog
    this.#isDeclared = false
    this.look()
  }

  /** Stores what code declares, and begins to fire. A database that cannot be written to now is tried again. */
  async start(): Promise<void> {
    this.#isDeclared = false
    try {
      await this.#declare()
    } catch (error) {
      if (!(error instanceof ReeveError)) throw error
    }
    this.#state = 'idle'
    this.look()
  }

  /** Fires no more. A decision that is under way ends by itself. */
  stop(): void {
    this.#state = 'stopped'
    this.#timer.cancel()
  }

  /** Something may be due now: a change of a schedule, here or elsewhere, or a jump of the clock. */
  look(): void {
    if (this.#state === 'looking') this.#state = 'look-again'
    if (this.#state !== 'idle') return
    this.#state = 'looking'
    this.#round().then(
      () => this.#goOn(),
      (error: unknown) => this.#refused(error),
    )
  }

  /** Stores the schedules that code declares, and removes those of its kinds that it declared before and does not any more. */
  async #declare(): Promise<void> {
    const { committer, clock } = this.#options
    const kinds = Object.keys(this.#catalog)
    const schedules = Object.values(this.#catalog).flatMap((settings) => settings.schedules ?? [])
    this.#isDeclared = true
    try {
      if (kinds.length > 0)
        await committer.submit({ type: 'declare-schedules', now: clock.wall(), source: 'code', schedules, kinds })
    } catch (error) {
      this.#isDeclared = false
      throw error
    }
  }

  #goOn(): void {
    if (this.#state === 'stopped') return
    const again = this.#state === 'look-again'
    this.#state = 'idle'
    if (again) this.look()
  }

  /** The rows are still there: look again in a while, unless the runtime is closing or something is really wrong. */
  #refused(error: unknown): void {
    const { clock, logger, failed } = this.#options
    if (this.#state === 'stopped') return
    if (!(error instanceof ReeveError)) return failed(error)
    if (error.code === 'REEVE_RUNTIME_CLOSED') return
    logger.warn({ err: error }, 'a schedule could not be fired; trying again')
    this.#state = 'idle'
    this.#timer.set(clock.wall() + refusedDelayMs)
  }

  async #round(): Promise<void> {
    const { store, clock, committer } = this.#options
    if (!this.#isDeclared) await this.#declare()
    const kinds = Object.keys(this.#catalog)
    if (kinds.length === 0) return
    const now = clock.wall()
    const { due, nextAt } = await store.dueSchedules(kinds, now)
    const decisions = due.map((row) => this.#decide(row, now)).filter((decision) => decision !== null)
    const answers = await Promise.all(decisions.map((decision) => committer.submit(decision)))
    for (const [index, decision] of decisions.entries()) this.#tell(decision, answers[index] as FireScheduleAnswer)
    if (decisions.length > 0 && this.#state === 'looking') this.#state = 'look-again'
    if (nextAt !== null && this.#state !== 'stopped') this.#timer.set(nextAt)
  }

  #decide(row: ScheduleRow, now: number): FireScheduleCommand | null {
    const { name, revision, cursor } = row
    if (this.#unreadable.get(name) === revision) return null
    const { random, logger } = this.#options
    try {
      const { run, skipped, cursor: newCursor, nextAt } = dueTicks(row.spec, cursor, now)
      const ticks = run.map((tick) => {
        const runAt = dueTime(name, tick.instant, row.spec.jitterMs)
        return { ...tick, runAt, jobId: random.id(now) as JobId }
      })
      const decision = random.id(now)
      return { type: 'fire-schedule', now, decision, name, revision, cursor, run: ticks, skipped, newCursor, nextAt }
    } catch (error) {
      this.#unreadable.set(name, revision)
      logger.error({ err: error, schedule: name }, 'a schedule cannot be read on this machine, and is not fired by it')
      return null
    }
  }

  #tell({ name, skipped }: FireScheduleCommand, answer: FireScheduleAnswer): void {
    if (answer.type === 'schedule-stale') return
    const { logger, owner, fired, stop, cancelled } = this.#options
    if (skipped !== null) logger.info({ schedule: name, ...skipped }, 'ticks of a schedule were missed')
    for (const skip of answer.skipped) logger.info({ schedule: name, ...skip }, 'a tick of a schedule was skipped')
    for (const job of answer.cancelled) cancelled(job)
    for (const { jobId, token, owner: holder } of answer.stopping) if (holder === owner) stop({ jobId, token })
    if (answer.jobs.length > 0) fired()
  }
}
