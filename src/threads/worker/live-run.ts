/** One run on its worker thread: what is asked of it, whether it is over, and whether it is asked to stop. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Clock, realClock, type Timer } from '../../clock.ts'
import { ReeveError } from '../../errors.ts'
import type { StopReason } from '../../job/kind.ts'
import type { NewJob } from '../../job/new-job.ts'
import { deadlineOf } from '../../job/schedule/budget.ts'
import type { Cells } from '../cells.ts'
import type { Assignment, HandlerOutcome } from '../protocol.ts'

/** Follows a run through its timers and promises, so that an error that nobody awaited is charged to its own job. */
export const runContext = new AsyncLocalStorage<LiveRun>()

/** A budget that is used up is no stop of the supervisor's: the handler may go on, and what it comes to counts. */
type Reason = StopReason | 'deadline'

const becauseOf: Readonly<Record<Reason, string>> = {
  deadline: 'its budget is used up',
  timeout: 'it ran past its timeout',
  cancel: 'the job was cancelled',
  drain: 'the runtime is shutting down',
  'lease-lost': 'its lease was lost to another process',
}

const clock: Clock = realClock({ ref: false })
/** What the steps of a run are told of it. */
export interface StepWatch {
  /** An answer of the supervisor has come. */
  answered(): void
  /** The handler has returned. */
  returned(): void
}

/** A run that was taken up. The signal is made when it is first read: most handlers never do. */
export class LiveRun {
  readonly assignment: Assignment
  over = false
  /** When the run's budget is used up, wall clock; null where it has none. */
  readonly deadline: number | null
  /** How the handler asked its attempt to end (`ctx.snooze` and the like); whatever comes after, it stands. */
  asked: HandlerOutcome | null = null
  /** It was ended by a wait: what is left of its code must not go on. */
  suspended = false
  /** Resolves with how it ended when that was by a wait. */
  readonly suspension = Promise.withResolvers<HandlerOutcome>()
  /** What the handler has enqueued: written if it returns. */
  readonly children: NewJob[] = []
  /** Set by the first use of a step. */
  steps: StepWatch | null = null
  readonly #cells: Cells
  readonly #deadlineMono: number
  #controller: AbortController | null = null
  #timer: Timer | undefined

  constructor(assignment: Assignment, cells: Cells) {
    this.assignment = assignment
    this.#cells = cells
    if (assignment.budget === null) {
      this.deadline = null
      this.#deadlineMono = Number.POSITIVE_INFINITY
    } else {
      const now = clock.wall()
      this.deadline = deadlineOf(assignment.budget, assignment.tick, now)
      this.#deadlineMono = this.deadline === null ? Number.POSITIVE_INFINITY : clock.mono() + this.deadline - now
    }
  }

  /** Why the run is asked to stop, or null; read from shared memory, so that a loop that never awaits sees it. */
  get stopReason(): Reason | null {
    const asked = this.#cells.stopReason(this.assignment.run)
    if (asked !== null || this.#deadlineMono === Number.POSITIVE_INFINITY) return asked
    return clock.mono() >= this.#deadlineMono ? 'deadline' : null
  }

  /** The signal of this run. Reading it notices a request whose message has not been served yet. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController()
      this.#watchDeadline()
    }
    const reason = this.over ? null : this.stopReason
    if (reason !== null) this.stop(reason)
    return this.#controller.signal
  }

  /** The outcome is known: the run's context is dead from here on. */
  end(): void {
    this.over = true
    this.#timer?.cancel()
  }

  /** Aborts the signal, if anybody has read it. In the run's own context: a listener that throws is the run's fault. */
  stop(reason: Reason): void {
    this.#abort(this.stopError(reason))
  }

  /** The job goes on in another run: whatever this one has going on beside its waits is to end. */
  suspend(outcome: HandlerOutcome): void {
    this.suspended = true
    this.suspension.resolve(outcome)
    const { jobId, kind } = this.assignment
    const message = `Job ${jobId} (${kind}) is suspended: it goes on in a new run of its handler.`
    this.#abort(new ReeveError('REEVE_ATTEMPT_STOPPED', message, { jobId, kind, attempt: this.assignment.attempt }))
  }

  #abort(reason: ReeveError): void {
    const controller = this.#controller
    if (controller === null || controller.signal.aborted) return
    runContext.run(this, () => controller.abort(reason))
  }

  /** The error that says why a handler is asked to stop. */
  stopError(reason: Reason): ReeveError {
    const { jobId, kind, attempt } = this.assignment
    return new ReeveError(
      'REEVE_ATTEMPT_STOPPED',
      `Attempt ${attempt} of job ${jobId} (${kind}) is asked to stop: ${becauseOf[reason]}.`,
      { jobId, kind, attempt },
    )
  }

  /** Only who reads the signal needs a timer. */
  #watchDeadline(): void {
    if (this.over || this.#deadlineMono === Number.POSITIVE_INFINITY) return
    this.#timer = clock.after(this.#deadlineMono - clock.mono(), () => {
      const reason = this.stopReason
      if (reason === null) this.#watchDeadline()
      else this.stop(reason)
    })
  }

  /** When the handler started, in monotonic milliseconds. */
  get startedAt(): number {
    return this.#cells.startedAt(this.assignment.run) ?? 0
  }
}
