/** Sends enqueues to the supervisor: all of one tick in one message, each call resolved after its own COMMIT. */
import { type ErrorCode, ReeveError } from '../errors.ts'
import type { NewJob } from '../job/new-job.ts'
import type { Placement } from '../persistence/commands/enqueue.ts'
import type { EnqueueCall, PlacedCalls } from '../supervisor/messages.ts'
import type { SupervisorThread } from './supervisor-thread.ts'

interface PendingCall {
  readonly resolve: (placed: readonly Placement[]) => void
  readonly reject: (error: Error) => void
  readonly first: NewJob | undefined
  readonly count: number
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

  /** The number of a call that comes in slices. */
  open(): number {
    return ++this.#calls
  }

  /** Sends a slice ahead of the last one, which {@link enqueue} sends. */
  sendPart(call: number, jobs: NewJob[]): void {
    if (this.#over !== undefined) throw this.#over
    this.#thread.send({ type: 'enqueue-part', call, jobs })
  }

  /** A call that waits for room is to be refused, if it still waits. */
  withdraw(call: number): void {
    if (!this.#pending.has(call)) return
    // After the call itself.
    if (this.#batch.length > 0) this.#flush()
    this.#thread.send({ type: 'enqueue-withdrawn', call })
  }

  /** What was sent of a call is to be forgotten. */
  abandon(call: number): void {
    if (this.#over === undefined) this.#thread.send({ type: 'enqueue-abandoned', call })
  }

  /** Resolves when the jobs are committed, with those that were not simply inserted: all of them, or none and an error. */
  enqueue(
    jobs: readonly NewJob[],
    { call = this.open(), parts = 0, count = jobs.length }: { call?: number; parts?: number; count?: number } = {},
  ): Promise<readonly Placement[]> {
    if (this.#over !== undefined) return Promise.reject(this.#over)
    return new Promise((resolve, reject) => {
      this.#pending.set(call, { resolve, reject, first: jobs[0], count })
      if (this.#batch.push({ call, jobs, ...(parts > 0 && { parts }) }) === 1) queueMicrotask(() => this.#flush())
    })
  }

  acknowledged(calls: readonly number[], placed: PlacedCalls = []): void {
    for (const { call, jobs } of placed) this.#take(call)?.resolve(jobs)
    for (const call of calls) this.#take(call)?.resolve([])
  }

  refused(call: number, error: Error): void {
    const pending = this.#take(call)
    pending?.reject(isRefusal(error) ? error : notEnqueued(pending, error))
  }

  /** The thread died: nobody can say whether these were committed. `final`: no thread comes after it. */
  rejectAll(error: ReeveError, final: boolean): void {
    if (final) this.#over = error
    for (const pending of this.#pending.values()) {
      pending.reject(new ReeveError(error.code, error.message, { cause: error.cause, ...subjectOf(pending) }))
    }
    this.#pending.clear()
  }

  #take(call: number): PendingCall | undefined {
    const pending = this.#pending.get(call)
    this.#pending.delete(call)
    return pending
  }

  #flush(): void {
    if (this.#batch.length === 0) return
    this.#thread.send({ type: 'enqueue', calls: this.#batch })
    this.#batch = []
  }
}

/** The store has looked and said no: that is an answer of its own, not trouble on the way. */
function isRefusal(error: Error): boolean {
  return error instanceof ReeveError && refusals.has(error.code)
}

const refusals: ReadonlySet<ErrorCode> = new Set(['REEVE_JOB_DUPLICATE', 'REEVE_JOB_NOT_FOUND', 'REEVE_QUEUE_FULL'])

function notEnqueued(pending: PendingCall, cause: Error): ReeveError {
  const { first, count } = pending
  const what = count === 1 ? `A job of kind '${first?.kind}' was` : `${count} jobs were`
  return new ReeveError('REEVE_JOB_NOT_ENQUEUED', `${what} not enqueued: ${cause.message}`, { cause, ...subjectOf(pending) })
}

function subjectOf({ first, count }: PendingCall): { jobId?: string; kind?: string } {
  return count === 1 && first !== undefined ? { jobId: first.id, kind: first.kind } : {}
}
