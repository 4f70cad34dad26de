/** Sends enqueues to the supervisor: all of one tick in one message, each call resolved after its own COMMIT. */
import { type ErrorCode, ReeveError } from '../errors.ts'
import type { NewJob } from '../job/new-job.ts'
import type { Placement } from '../persistence/commands/enqueue.ts'
import type { EnqueueCall, PlacedCalls } from '../supervisor/messages.ts'
import type { SupervisorThread } from './supervisor-thread.ts'

interface PendingCall {
  readonly resolve: (placed: readonly Placement[]) => void
  readonly reject: (error: Error) => void
  readonly jobs: readonly NewJob[]
}

/** Coalesces and keeps what is not acknowledged yet. */
export class Enqueuer {
  readonly #thread: Pick<SupervisorThread, 'send'>
  readonly #pending = new Map<number, PendingCall>()
  #batch: EnqueueCall[] = []
  #calls = 0
  /** Why nothing can be enqueued any more, once that is so. */
  #over: ReeveError | undefined

  constructor(thread: Pick<SupervisorThread, 'send'>) {
    this.#thread = thread
  }

  /** Resolves when the jobs are committed, with those that were not simply inserted: all of them, or none and an error. */
  enqueue(jobs: readonly NewJob[]): Promise<readonly Placement[]> {
    if (this.#over !== undefined) return Promise.reject(this.#over)
    return new Promise((resolve, reject) => {
      const call = ++this.#calls
      this.#pending.set(call, { resolve, reject, jobs })
      if (this.#batch.push({ call, jobs }) === 1) queueMicrotask(() => this.#flush())
    })
  }

  acknowledged(calls: readonly number[], placed: PlacedCalls = []): void {
    for (const { call, jobs } of placed) this.#take(call)?.resolve(jobs)
    for (const call of calls) this.#take(call)?.resolve([])
  }

  refused(call: number, error: Error): void {
    const pending = this.#take(call)
    pending?.reject(isRefusal(error) ? error : notEnqueued(pending.jobs, error))
  }

  /** The thread died: nobody can say whether these were committed. `final`: no thread comes after it. */
  rejectAll(error: ReeveError, final: boolean): void {
    if (final) this.#over = error
    for (const { reject, jobs } of this.#pending.values()) {
      reject(new ReeveError(error.code, error.message, { cause: error.cause, ...subjectOf(jobs) }))
    }
    this.#pending.clear()
  }

  #take(call: number): PendingCall | undefined {
    const pending = this.#pending.get(call)
    this.#pending.delete(call)
    return pending
  }

  #flush(): void {
    this.#thread.send({ type: 'enqueue', calls: this.#batch })
    this.#batch = []
  }
}

/** The store has looked and said no: that is an answer of its own, not trouble on the way. */
function isRefusal(error: Error): boolean {
  return error instanceof ReeveError && refusals.has(error.code)
}

const refusals: ReadonlySet<ErrorCode> = new Set(['REEVE_JOB_DUPLICATE', 'REEVE_JOB_NOT_FOUND', 'REEVE_QUEUE_FULL'])

function notEnqueued(jobs: readonly NewJob[], cause: Error): ReeveError {
  const what = jobs.length === 1 ? `A job of kind '${jobs[0]?.kind}' was` : `${jobs.length} jobs were`
  return new ReeveError('REEVE_JOB_NOT_ENQUEUED', `${what} not enqueued: ${cause.message}`, { cause, ...subjectOf(jobs) })
}

function subjectOf(jobs: readonly NewJob[]): { jobId?: string; kind?: string } {
  const [only] = jobs
  return jobs.length === 1 && only !== undefined ? { jobId: only.id, kind: only.kind } : {}
}
