/**
 * Brings due jobs and idle threads together. It claims what the idle threads can take, plus a small read-ahead,
 * starts attempts only after the claim's COMMIT, and never lets the pool queue.
 *
 * Its jobs are *held* (claimed, not started) or *running* (an attempt); both are leased to this owner, and the
 * lease keeper asks here for what to renew.
 */
import type { Clock, Timer } from '../clock.ts'
import { ReeveError } from '../errors.ts'
import type { KindCatalog } from '../job/kind.ts'
import type { JobId, Lease, OwnerId } from '../job/lease.ts'
import type { Settlement } from '../job/outcome.ts'
import type { ClaimAnswer, ClaimedJob } from '../persistence/commands/claim.ts'
import type { SettleAnswer } from '../persistence/commands/settle.ts'
import type { LogRecord } from '../threads/protocol.ts'
import type { ThreadPool } from '../threads/thread-pool.ts'
import { Attempt, type AttemptListener, type AttemptServices } from './attempt.ts'
import { type DispatchDefaults, limitsOf } from './attempt-limits.ts'
import { Claimer, type ClaimerOptions } from './claimer.ts'
import type { DispatchListener } from './dispatch-listener.ts'
import { DueTimer } from './due-timer.ts'
import type { Occupancy } from './quarantine.ts'
import { ReadAhead } from './read-ahead.ts'
import type { ServiceLogger } from './service-logger.ts'

/** After a claim that the database refused (a full disk), the next one waits this long. */
const refusedClaimDelayMs = 1_000
/** Jobs held ahead for longer than this are handed back: something slow has taken the threads. */
const heldMaxMs = 250

/** What a dispatcher works with. */
export interface DispatcherOptions extends AttemptServices, Pick<ClaimerOptions, 'groupMax'> {
  readonly pool: ThreadPool
  readonly clock: Clock
  readonly owner: OwnerId
  readonly leaseDurationMs: number
  readonly queues: readonly string[] | null
  /** Shared by all dispatchers of an owner. */
  readonly claimNumbers: { last: number }
  readonly defaults: DispatchDefaults
  readonly listener: DispatchListener
  readonly logger: ServiceLogger
  /** Called with an error that the dispatcher cannot go on after. */
  readonly failed: (error: unknown) => void
}

/** Claims and starts jobs. */
export class Dispatcher implements AttemptListener {
  readonly #options: DispatcherOptions
  readonly #readAhead = new ReadAhead()
  readonly #running = new Map<JobId, Attempt>()
  /** Attempts that are settled, but whose thread is not back yet, and the reverse, count as busy until both are so. */
  readonly #onThreads = new Set<Attempt>()
  #held: ClaimedJob[] = []
  #heldTimer: Timer | undefined
  #catalog: KindCatalog = {}
  #mode: 'stopped' | 'claiming' | 'draining' = 'stopped'
  #paused = false
  /** Once a drain's time is up it does not wait for threads that cannot be ended. */
  #leavesCondemned = false
  #handingBack = 0
  readonly #claimer: Claimer
  readonly #dueTimer: DueTimer
  #emptyWaiters: (() => void)[] = []

  constructor(options: DispatcherOptions) {
    this.#options = options
    const { attemptsMax: attemptsMaxDefault } = options.defaults
    const queuesExcluded = () => this.queuesExcluded()
    this.#claimer = new Claimer({ ...options, queuesExcluded, attemptsMaxDefault, reopened: () => this.fill() })
    this.#dueTimer = new DueTimer(options.clock, () => this.wake())
  }

  /** From now on these are the options of each kind. */
  useKinds(catalog: KindCatalog, localLimits: Parameters<Claimer['useKinds']>[1] = []): void {
    this.#catalog = catalog
    this.#claimer.useKinds(catalog, localLimits)
  }

  /** Begins to claim. */
  start(): void {
    this.#mode = 'claiming'
    this.wake()
  }

  /** Something may be claimable now: an enqueue, a retry that came due, another process's commit. */
  wake(): void {
    this.#claimer.wake()
    this.fill()
  }

  /** Starts held jobs on idle threads, and claims more where there is room. */
  fill(): void {
    if (this.#mode !== 'claiming' || this.#paused) return
    this.#startHeld()
    const idle = this.#options.pool.idleCount()
    const ahead = this.#claimer.aheadBlocked ? 0 : this.#readAhead.target(this.#options.pool.threadCount())
    const room = idle + ahead - this.#held.length
    // With jobs still held, the next claim waits until half of them are used up: it is one commit for many.
    if (!this.#claimer.isWorthIt || room <= 0 || (idle === 0 && room * 2 < ahead)) return
    const taken = (answer: ClaimAnswer) => this.#take(answer)
    this.#claimer
      .claim({ limit: idle, ahead: Math.max(room - idle, 0) }, this.occupancy(), taken)
      .catch((error: unknown) => this.#afterRefusedClaim(error))
  }

  /** Tells the attempt of a lease whose cancel was requested. A held job ends at once. */
  cancel({ jobId, token }: Lease): void {
    const attempt = this.#running.get(jobId)
    if (attempt !== undefined && attempt.lease.token === token) attempt.stop('cancel')
    const held = this.#held.find((job) => job.id === jobId && job.token === token)
    if (held !== undefined) this.#handBack([held])
  }

  /** All leases of this owner that are not settled yet. */
  leases(): readonly Lease[] {
    const held = this.#held.map((job) => ({ jobId: job.id, token: job.token }))
    return [...held, ...[...this.#running.values()].map((attempt) => attempt.lease)]
  }

  /** These leases are not ours any more. */
  leasesLost(leases: readonly Lease[]): void {
    for (const { jobId, token } of leases) {
      const attempt = this.#running.get(jobId)
      if (attempt !== undefined && attempt.lease.token === token) attempt.leaseLost()
      this.#held = this.#held.filter((job) => job.id !== jobId || job.token !== token)
    }
  }

  /** Claims no more and hands back what is only held. Resolves when nothing is running. */
  drain(): Promise<void> {
    this.#mode = 'draining'
    this.#dueTimer.cancel()
    this.#handBack(this.#held)
    return this.#whenEmpty()
  }

  /** Claims nothing (or again) while too few threads can be ended. What is held goes back. */
  pause(paused: boolean): void {
    this.#paused = paused
    if (paused) this.#handBack(this.#held)
    else this.wake()
  }

  /** Asks every running attempt to stop, as a drain does when its time is up. */
  interruptAll(): void {
    this.#leavesCondemned = true
    for (const attempt of this.#onThreads) attempt.stop('drain')
    this.#checkEmpty()
  }

  /** How many attempts run, and how many jobs are held ahead. */
  load(): { readonly running: number; readonly held: number } {
    return { running: this.#running.size, held: this.#held.length }
  }

  /** Stops timers. Attempts go on until their thread is gone. */
  stop(): void {
    this.#mode = 'stopped'
    this.#claimer.stop()
    this.#dueTimer.cancel()
    this.#heldTimer?.cancel()
  }

  progress(attempt: Attempt, fraction: number | null, note: string | null): void {
    this.#options.listener.progress(attempt, fraction, note)
  }

  log(attempt: Attempt, record: LogRecord): void {
    this.#options.listener.log(attempt, record)
  }

  condemned(attempt: Attempt): void {
    this.#options.listener.condemned(attempt)
    this.fill()
    this.#checkEmpty()
  }

  settled(attempt: Attempt, answer: SettleAnswer, settlement: Settlement | null): void {
    if (this.#running.get(attempt.job.id) === attempt) this.#running.delete(attempt.job.id)
    this.#options.listener.settled(attempt, answer, settlement)
    if (answer.type === 'settled' && answer.state === 'ready') this.#dueTimer.set(answer.runAt)
    // Its end may have given the next tick of its schedule its turn.
    if (attempt.job.tick !== null) this.#claimer.wake()
    this.freed()
    this.#checkEmpty()
  }

  /** A job is leased to this owner no more: it may have been what a limit, or a suspect, waited for. */
  freed(): void {
    this.#claimer.freed()
    this.fill()
  }

  threadFreed(attempt: Attempt): void {
    this.#onThreads.delete(attempt)
    this.#readAhead.ranFor(this.#options.clock.mono() - attempt.startedAtMono)
    this.fill()
    this.#checkEmpty()
  }

  failed(error: unknown): void {
    this.#options.failed(error)
  }

  /** Queues that this dispatcher leaves alone. */
  protected queuesExcluded(): readonly string[] {
    return []
  }

  /** A claim took nothing, and nothing is held. */
  protected tookNothing(_answer: ClaimAnswer): void {}

  /** What a suspect must not run beside. A thread that cannot be ended is none of it: it may last for ever. */
  occupancy(): Occupancy {
    const attempts = [...this.#running.values(), ...this.#onThreads].filter(({ phase }) => phase !== 'condemned')
    return {
      busy: attempts.length > 0 || this.#held.length > 0 || this.#handingBack > 0,
      suspect: attempts.some(({ job }) => job.isSuspect) || this.#held.some(({ isSuspect }) => isSuspect),
    }
  }

  #take(answer: ClaimAnswer): void {
    const { jobs, nextRunAt } = answer
    this.#held.push(...jobs)
    if (nextRunAt !== null && !this.#claimer.aheadBlocked) this.#dueTimer.set(nextRunAt)
    if (this.#mode !== 'claiming' || this.#paused) {
      this.#handBack(this.#held)
      return this.#checkEmpty()
    }
    if (this.#held.length === 0) this.tookNothing(answer)
    this.fill()
  }

  /** The jobs are still there: look again in a while, unless the runtime is closing or something is really wrong. */
  #afterRefusedClaim(error: unknown): void {
    const { clock, logger, failed } = this.#options
    if (!(error instanceof ReeveError)) return failed(error)
    if (error.code === 'REEVE_RUNTIME_CLOSED') return
    logger.warn({ err: error }, 'a claim was refused by the database; trying again')
    this.#dueTimer.set(clock.wall() + refusedClaimDelayMs)
    this.#checkEmpty()
  }

  #startHeld(): void {
    const { pool, listener, defaults, inspector } = this.#options
    while (this.#held.length > 0 && pool.idleCount() > 0) {
      const job = this.#held.shift() as ClaimedJob
      const attempt = new Attempt(job, limitsOf(job, this.#catalog[job.kind], defaults, inspector.available), this.#options, this)
      this.#running.set(job.id, attempt)
      this.#onThreads.add(attempt)
      listener.started(attempt)
    }
    this.#watchHeld()
  }

  /** Held jobs must not wait here while another process could run them. */
  #watchHeld(): void {
    if (this.#held.length === 0 || this.#heldTimer !== undefined) return
    const [oldest] = this.#held
    this.#heldTimer = this.#options.clock.after(heldMaxMs, () => {
      this.#heldTimer = undefined
      if (this.#held[0] === oldest) {
        this.#readAhead.reset()
        this.#handBack(this.#held)
      } else this.#watchHeld()
    })
  }

  /** Gives jobs back that never started; the attempt is not charged. */
  #handBack(jobs: readonly ClaimedJob[]): void {
    const { committer, clock, listener, failed } = this.#options
    this.#held = this.#held.filter((job) => !jobs.includes(job))
    for (const job of jobs) {
      this.#handingBack++
      const lease = { jobId: job.id, token: job.token }
      committer.submit({ type: 'settle', now: clock.wall(), lease, settlement: { type: 'interrupted' } }).then((answer) => {
        this.#handingBack--
        listener.handedBack(job, answer)
        if (answer.type === 'settled' && answer.state === 'ready') this.#dueTimer.set(answer.runAt)
        this.freed()
        this.#checkEmpty()
      }, failed)
    }
  }

  #whenEmpty(): Promise<void> {
    return new Promise((resolve) => {
      this.#emptyWaiters.push(resolve)
      this.#checkEmpty()
    })
  }

  #checkEmpty(): void {
    if (this.#emptyWaiters.length === 0 || this.#held.length > 0 || this.#claimer.inFlight || this.#handingBack > 0) return
    const left = [...this.#running.values(), ...this.#onThreads]
    if (left.some((attempt) => !this.#leavesCondemned || attempt.phase !== 'condemned')) return
    for (const wake of this.#emptyWaiters.splice(0)) wake()
  }
}
