/**
 * Turns what happened to an attempt into events, ends and log lines. It decides nothing; it is called after the
 * COMMIT that made the news true.
 */
import type { Clock } from '../clock.ts'
import type { BreakerChange } from '../job/breaker.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import type { JobEventSubject } from '../job/job-events.ts'
import type { Settlement } from '../job/outcome.ts'
import type { StoredPayload } from '../job/payload.ts'
import { isTerminal } from '../job/state.ts'
import { logLevelName } from '../log-level.ts'
import type { ClaimedJob } from '../persistence/commands/claim.ts'
import type { SettleAnswer } from '../persistence/commands/settle.ts'
import type { JobRow } from '../persistence/job-row.ts'
import type { LogRecord } from '../threads/protocol.ts'
import type { Attempt } from './attempt.ts'
import type { DispatchListener } from './dispatch-listener.ts'
import type { Notifier } from './notifier.ts'
import type { ServiceLogger } from './service-logger.ts'

/** Announces attempts to the notifier and the log. */
export class Announcer implements DispatchListener {
  readonly #notifier: Notifier
  readonly #logger: ServiceLogger
  readonly #clock: Clock

  constructor(options: { readonly notifier: Notifier; readonly logger: ServiceLogger; readonly clock: Clock }) {
    this.#notifier = options.notifier
    this.#logger = options.logger
    this.#clock = options.clock
  }

  started(attempt: Attempt): void {
    if (this.#notifier.wants('started'))
      this.#notifier.event({ type: 'started', ...subjectOf(attempt.job), threadId: attempt.threadId })
  }

  progress(attempt: Attempt, fraction: number | null, note: string | null): void {
    if (this.#notifier.wants('progress')) this.#notifier.event({ type: 'progress', ...subjectOf(attempt.job), fraction, note })
  }

  log(attempt: Attempt, { level, message, fields, at }: LogRecord): void {
    this.#logger[logLevelName(level)]({ ...fields, ...subjectOf(attempt.job), at }, message)
  }

  condemned(attempt: Attempt): void {
    const subject = { ...subjectOf(attempt.job), threadId: attempt.threadId }
    this.#logger.error(subject, 'a thread was told to terminate and is still alive; it is written off, and its job stays running')
    this.#notifier.event({ type: 'condemned', ...subject })
  }

  settled(attempt: Attempt, answer: SettleAnswer, settlement: Settlement | null): void {
    const subject = subjectOf(attempt.job)
    if (answer.type === 'stale' || settlement === null) {
      this.#logger.warn(subject, 'an attempt was not settled: its lease was no longer its own')
      return
    }
    if (answer.breaker !== undefined) this.#breaker(subject, answer.breaker)
    const error = errorOf(settlement)
    const result = settlement.type === 'complete' && answer.state === 'completed' ? settlement.result : null
    if (isTerminal(answer.state)) this.#notifier.ended({ ...subject, state: answer.state, result, error })
    switch (answer.state) {
      case 'completed':
        return this.#completed(subject, result, this.#clock.mono() - attempt.startedAtMono)
      case 'cancelled':
        this.#logger.info(subject, 'a job was cancelled')
        return this.#notifier.event({ type: 'cancelled', ...subject })
      case 'discarded':
        this.#logger.error({ ...subject, error }, 'a job was discarded')
        return this.#notifier.event({ type: 'discarded', ...subject, error })
      case 'suspended':
        return this.#suspended(subject)
      default:
        // A wait that was over already: nothing was put back, the handler only begins anew.
        if (settlement.type === 'suspend') return
        if (settlement.type === 'snooze' && error === null) return this.#snoozed(subject, answer.runAt)
        return this.#putBack(subject, answer.runAt, settlement.type === 'fail', error)
    }
  }

  handedBack(job: ClaimedJob, answer: SettleAnswer): void {
    if (answer.type === 'settled' && answer.state === 'cancelled') this.cancelled(subjectOf(job))
  }

  /** A job that did not run was cancelled. */
  cancelled(subject: JobEventSubject): void {
    this.#notifier.ended({ ...subject, state: 'cancelled', result: null, error: null })
    this.#notifier.event({ type: 'cancelled', ...subject })
  }

  /** These jobs are over by no attempt of ours: at a reclaim, by hand, or with a job that they waited for. */
  over(rows: Iterable<JobRow>): void {
    for (const row of rows) {
      if (!isTerminal(row.state)) continue
      const { id: jobId, kind, queue, attempt, token, state, result, error } = row
      const subject = { jobId, kind, queue, attempt, token }
      this.#notifier.ended({ ...subject, state, result, error })
      if (state === 'cancelled') this.#notifier.event({ type: 'cancelled', ...subject })
      if (state !== 'discarded') continue
      this.#logger.error({ ...subject, error }, 'a job was discarded')
      this.#notifier.event({ type: 'discarded', ...subject, error })
    }
  }

  #breaker(subject: JobEventSubject, change: BreakerChange): void {
    if (change.type === 'closed') {
      this.#logger.info(subject, 'a kind runs again: its breaker is closed')
      return this.#notifier.event({ type: 'breaker-closed', ...subject })
    }
    const { until } = change
    this.#logger.warn({ ...subject, until }, 'a kind is held back: too many attempts in a row have failed')
    this.#notifier.event({ type: 'breaker-opened', ...subject, until })
  }

  #completed(subject: JobEventSubject, result: StoredPayload, durationMs: number): void {
    this.#logger.debug({ ...subject, durationMs }, 'a job completed')
    if (this.#notifier.wants('completed')) this.#notifier.event({ type: 'completed', ...subject, result, durationMs })
  }

  #suspended(subject: JobEventSubject): void {
    this.#logger.debug(subject, 'a job waits, off its thread')
    if (this.#notifier.wants('suspended')) this.#notifier.event({ type: 'suspended', ...subject })
  }

  #snoozed(subject: JobEventSubject, runAt: number): void {
    this.#logger.debug({ ...subject, runAt }, 'a handler snoozed its job')
    if (this.#notifier.wants('snoozed')) this.#notifier.event({ type: 'snoozed', ...subject, runAt })
  }

  #putBack(subject: JobEventSubject, runAt: number, charged: boolean, error: ErrorRecord | null): void {
    if (charged && error !== null) {
      this.#logger.warn({ ...subject, runAt, error }, 'an attempt failed; the job will be tried again')
      return this.#notifier.event({ type: 'retrying', ...subject, error, runAt })
    }
    this.#logger.warn({ ...subject, runAt, error }, 'a job was put back, uncharged')
    this.#notifier.event({ type: 'interrupted', ...subject, error, runAt })
  }
}

function errorOf(settlement: Settlement): ErrorRecord | null {
  return 'error' in settlement ? (settlement.error ?? null) : null
}

function subjectOf(job: ClaimedJob): JobEventSubject {
  return { jobId: job.id, kind: job.kind, queue: job.queue, attempt: job.attempt, token: job.token }
}
