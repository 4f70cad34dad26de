/** One run on its worker thread: what is asked of it, whether it is over, and whether it is asked to stop. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { ReeveError } from '../../errors.ts'
import type { StopReason } from '../../job/kind.ts'
import type { Cells } from '../cells.ts'
import type { Assignment } from '../protocol.ts'

/** Follows a run through its timers and promises, so that an error that nobody awaited is charged to its own job. */
export const runContext = new AsyncLocalStorage<LiveRun>()

const becauseOf: Readonly<Record<StopReason, string>> = {
  timeout: 'it ran past its timeout',
  cancel: 'the job was cancelled',
  drain: 'the runtime is shutting down',
  'lease-lost': 'its lease was lost to another process',
}

/** A run that was taken up. The signal is made when it is first read: most handlers never do. */
export class LiveRun {
  readonly assignment: Assignment
  over = false
  readonly #cells: Cells
  #controller: AbortController | null = null

  constructor(assignment: Assignment, cells: Cells) {
    this.assignment = assignment
    this.#cells = cells
  }

  /** Why the run is asked to stop, or null; read from shared memory, so that a loop that never awaits sees it. */
  get stopReason(): StopReason | null {
    return this.#cells.stopReason(this.assignment.run)
  }

  /** The signal of this run. Reading it notices a request whose message has not been served yet. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    const reason = this.over ? null : this.stopReason
    if (reason !== null) this.stop(reason)
    return this.#controller.signal
  }

  /** Aborts the signal, if anybody has read it. In the run's own context: a listener that throws is the run's fault. */
  stop(reason: StopReason): void {
    const controller = this.#controller
    if (controller === null || controller.signal.aborted) return
    runContext.run(this, () => controller.abort(this.stopError(reason)))
  }

  /** The error that says why a handler is asked to stop. */
  stopError(reason: StopReason): ReeveError {
    const { jobId, kind, attempt } = this.assignment
    return new ReeveError(
      'REEVE_ATTEMPT_STOPPED',
      `Attempt ${attempt} of job ${jobId} (${kind}) is asked to stop: ${becauseOf[reason]}.`,
      { jobId, kind, attempt },
    )
  }

  /** When the handler started, in monotonic milliseconds. */
  get startedAt(): number {
    return this.#cells.startedAt(this.assignment.run) ?? 0
  }
}
