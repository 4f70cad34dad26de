/**
 * One running attempt: carries out what the pure state machine in `attempt-state.ts` decides. It lives from the
 * moment a claimed job is handed to a thread until its settle is committed *and* the thread is free or gone.
 */
import type { Clock, Timer } from '../clock.ts'
import type { JobLogLimits } from '../job/job-log.ts'
import type { Lease } from '../job/lease.ts'
import type { Settlement } from '../job/outcome.ts'
import { type Backoff, backoffDefault } from '../job/retry-policy.ts'
import type { Budget } from '../job/schedule/budget.ts'
import { keepToTick, type TickRetry } from '../job/schedule/tick-retry.ts'
import type { TimingWord } from '../job/timing.ts'
import type { ClaimedJob } from '../persistence/commands/claim.ts'
import type { SettleAnswer, SettleCommand } from '../persistence/commands/settle.ts'
import type { Random } from '../random.ts'
import type { AskRequest } from '../threads/asks.ts'
import { encodeError } from '../threads/error-codec.ts'
import type { HandlerOutcome, LogRecord } from '../threads/protocol.ts'
import type { Run, RunEnd, RunListener, ThreadPool } from '../threads/thread-pool.ts'
import type { Asker } from './asker.ts'
import { attemptOver } from './asks/answerer.ts'
import { AttemptRecord } from './attempt-record.ts'
import {
  type AttemptEffect,
  type AttemptEvent,
  type AttemptPhase,
  attemptAtStart,
  type Graces,
  nextAttempt,
  type Verdict,
} from './attempt-state.ts'
import type { Committer } from './committer.ts'
import { LogWriter } from './log-writer.ts'
import type { GuardedInspector } from './look-gate.ts'
import { ProgressWriter } from './progress-writer.ts'
import { settlementOf } from './settlement.ts'

/** A thread that has not come back after a handler within this time is terminated. */
const releaseMaxMs = 10_000

/** What all attempts of a runtime share. */
export interface AttemptServices {
  readonly pool: Pick<ThreadPool, 'start'>
  readonly committer: Pick<Committer, 'submit'>
  readonly clock: Clock
  readonly random: Random
  readonly inspector: GuardedInspector
  readonly asker: Pick<Asker, 'answer'>
  /** Which log lines are kept; null for none. */
  readonly jobLogs: JobLogLimits | null
}

/** The limits of this attempt, after the job's own options, its kind's, and the defaults. */
export interface AttemptLimits extends Graces {
  /** `Infinity` for none. */
  readonly timeoutMs: number
  readonly backoff: Backoff | undefined
  /** Null for none. */
  readonly budget: Budget | null
  readonly tickRetry?: TickRetry | undefined
  readonly breaker?: SettleCommand['breaker'] | undefined
  /** A thread that has not exited this long after it was told to terminate is condemned. */
  readonly killWaitMs: number
  /** A thread that has not begun the handler this long after the hand-over is terminated. */
  readonly startMaxMs: number
}

/** What an attempt tells its dispatcher. */
export interface AttemptListener {
  progress(attempt: Attempt, fraction: number | null, note: string | null): void
  log(attempt: Attempt, record: LogRecord): void
  /** The settle is committed (or there was none to make: a lost lease). The lease is no longer held. */
  settled(attempt: Attempt, answer: SettleAnswer, settlement: Settlement | null): void
  /** The thread has not exited in time and is written off; the job stays its until it does. */
  condemned(attempt: Attempt): void
  /** The thread is free for another run, or has exited. */
  threadFreed(attempt: Attempt): void
  failed(error: unknown): void
}

/** The actor of one attempt. */
export class Attempt implements RunListener {
  readonly job: ClaimedJob
  readonly lease: Lease
  readonly startedAtMono: number
  readonly #services: AttemptServices
  readonly #limits: AttemptLimits
  readonly #listener: AttemptListener
  readonly #progress: ProgressWriter
  readonly #log: LogWriter
  readonly #record = new AttemptRecord()
  readonly #run: Run
  readonly #decided = Promise.withResolvers<void>()
  #state = attemptAtStart
  /** One timer at a time: the deadline (or the bound on starting), then the grace, then the bound on coming back. */
  #timer: Timer | undefined
  /** To be called when the thread that was told to die is gone, or is written off. */
  #gone: () => void = () => undefined

  constructor(job: ClaimedJob, limits: AttemptLimits, services: AttemptServices, listener: AttemptListener) {
    this.job = job
    this.lease = { jobId: job.id, token: job.token }
    this.#limits = limits
    this.#services = services
    this.#listener = listener
    this.#progress = new ProgressWriter(this.lease, services)
    this.#log = new LogWriter(this.lease, job.attempt, services)
    this.startedAtMono = services.clock.mono()
    this.#run = services.pool.start(
      {
        jobId: job.id,
        token: job.token,
        kind: job.kind,
        queue: job.queue,
        group: job.group,
        input: job.input,
        attempt: job.attempt,
        attemptsMax: job.attemptsMax,
        createdAt: job.createdAt,
        tick: job.tick,
        ...(job.family !== undefined && { family: job.family }),
        budget: limits.budget,
        timeoutMs: limits.timeoutMs,
      },
      this,
    )
    this.#watchTime()
  }

  get phase(): AttemptPhase {
    return this.#state.phase
  }

  get threadId(): number {
    return this.#run.threadId
  }

  /** Asks the handler to stop; after its grace the thread is terminated. */
  stop(reason: 'cancel' | 'drain'): void {
    this.#on({ type: 'stop', reason })
  }

  /** The lease is no longer ours: ends the thread and settles nothing. */
  leaseLost(): void {
    this.#on({ type: 'lease-lost' })
  }

  progress(fraction: number | null, note: string | null): void {
    if (this.#state.phase === 'over' || this.#state.decided) return
    this.#progress.write(fraction, note)
    this.#listener.progress(this, fraction, note)
  }

  log(record: LogRecord): void {
    this.#record.line(record.message)
    this.#log.write(record)
    this.#listener.log(this, record)
  }

  timing(word: TimingWord): void {
    this.#record.timing(word)
  }

  /** Once the attempt is decided on nothing is applied any more (invariant `no-word-from-the-dead`). */
  ask(question: number, request: AskRequest): void {
    if (this.#state.decided) return this.#run.answer(question, { ok: false, error: encodeError(attemptOver(this.job)) })
    const asking = { job: this.job, decided: this.#decided.promise }
    void this.#services.asker.answer(request, asking).then((answer) => this.#run.answer(question, answer))
  }

  outcome(outcome: HandlerOutcome): void {
    this.#on({ type: 'outcome', outcome })
  }

  over(end: RunEnd): void {
    this.#gone()
    this.#on({ type: 'over', end })
  }

  #on(event: AttemptEvent): void {
    const { state, effects } = nextAttempt(this.#state, event, this.#limits)
    this.#state = state
    if (state.decided) this.#decided.resolve()
    for (const effect of effects) this.#carryOut(effect)
  }

  #carryOut(effect: AttemptEffect): void {
    switch (effect.type) {
      case 'request-stop':
        return this.#run.requestStop(effect.reason)
      case 'arm-grace':
        return this.#arm(this.#graceMs(effect.ms), { type: 'grace-over' })
      case 'arm-release':
        return this.#arm(releaseMaxMs, { type: 'stuck' })
      case 'inspect':
        return this.#inspect()
      case 'terminate':
        return this.#terminate()
      case 'arm-kill-wait':
        return this.#arm(this.#limits.killWaitMs, { type: 'kill-wait-over' })
      case 'condemn':
        this.#run.condemn()
        this.#gone()
        return this.#listener.condemned(this)
      case 'settle':
        return this.#settle(effect.verdict)
      case 'finish':
        return this.#finish()
    }
  }

  #arm(ms: number, event: AttemptEvent): void {
    this.#timer?.cancel()
    this.#timer = this.#services.clock.after(ms, () => this.#on(event))
  }

  /** A child process is not a thread that a look could meet. */
  #terminate(): void {
    this.#timer?.cancel()
    if (this.#run.pid !== null) return this.#run.terminate()
    this.#gone = this.#services.inspector.ending(() => this.#run.terminate())
  }

  #inspect(): void {
    this.#timer?.cancel()
    const { pid, threadId } = this.#run
    // A child process is out of the inspector's reach, and its number could be that of another one's thread.
    const frames = pid === null ? this.#services.inspector.framesOf(threadId) : Promise.resolve(undefined)
    frames.then(
      (answer) => this.#on({ type: 'inspected', frames: answer }),
      () => this.#on({ type: 'inspected', frames: undefined }),
    )
  }

  /** A grace for another reason does not outlast the handler's own timeout. */
  #graceMs(graceMs: number): number {
    const startedAt = this.#run.startedAt()
    if (this.#state.stop === 'timeout' || startedAt === null) return graceMs
    return Math.min(graceMs, Math.max(startedAt + this.#limits.timeoutMs - this.#services.clock.mono(), 0))
  }

  /**
   * The timeout counts from the handler's start, which the worker stamps without a message. So the timer is set
   * from what is known, looks at the stamp when it fires, and is set again for what is left.
   */
  #watchTime(): void {
    const startedAt = this.#run.startedAt()
    const { clock } = this.#services
    if (startedAt === null) {
      // A run that waits for the first thread of its own kind is bounded by the load timeout, not by this one.
      const waitedMs = clock.mono() - (this.#run.handedAt() ?? clock.mono())
      const leftMs = this.#limits.startMaxMs - waitedMs
      if (leftMs <= 0) return this.#on({ type: 'stuck' })
      this.#timer = clock.after(Math.min(this.#limits.timeoutMs, leftMs), () => this.#watchTime())
      return
    }
    this.#on({ type: 'started' })
    const leftMs = startedAt + this.#limits.timeoutMs - clock.mono()
    if (leftMs <= 0) return this.#on({ type: 'deadline' })
    if (leftMs !== Number.POSITIVE_INFINITY) this.#timer = clock.after(leftMs, () => this.#watchTime())
  }

  #settle(verdict: Verdict): void {
    const { committer, clock, random } = this.#services
    const facts = {
      jobId: this.job.id,
      kind: this.job.kind,
      attempt: this.job.attempt,
      timeoutMs: this.#limits.timeoutMs,
      backoff: this.job.backoff ?? this.#limits.backoff ?? backoffDefault,
      logTail: this.#record.logTail,
    }
    this.#progress.stop()
    this.#log.stop()
    const now = clock.wall()
    const keeping = { tick: this.job.tick, tickRetry: this.#limits.tickRetry }
    const settlement = keepToTick(settlementOf(verdict, facts, random), keeping, now)
    const ran = this.#record.ran(this.#run, clock)
    const { breaker } = this.#limits
    committer.submit({ type: 'settle', now, lease: this.lease, settlement, ran, ...(breaker && { breaker }) }).then(
      (answer) => this.#listener.settled(this, answer, settlement),
      (error: unknown) => this.#listener.failed(error),
    )
  }

  #finish(): void {
    this.#timer?.cancel()
    this.#progress.stop()
    this.#log.stop()
    if (this.#state.stop === 'lease-lost') this.#listener.settled(this, { type: 'stale' }, null)
    this.#listener.threadFreed(this)
  }
}
