/** Who waits for the end of which job. The supervisor is told which ids to watch, all of one tick in one message. */
import type { JobEnd } from '../job/job-events.ts'
import type { JobId } from '../job/lease.ts'
import type { SupervisorThread } from './supervisor-thread.ts'

/** One waiter of one job. */
interface Waiter {
  readonly resolve: (end: JobEnd) => void
  readonly reject: (error: Error) => void
}

/** Keeps all waits of a runtime; they outlive the death of a supervisor thread. */
export class Waits {
  readonly #thread: Pick<SupervisorThread, 'send'>
  readonly #waiters = new Map<JobId, Set<Waiter>>()
  #toWatch: JobId[] = []
  #toUnwatch: JobId[] = []
  /** Why no wait can end any more, once that is so. */
  #over: Error | undefined

  constructor(thread: Pick<SupervisorThread, 'send'>) {
    this.#thread = thread
  }

  /** Waits for the end of a job. `stop` ends the wait without an answer. */
  wait(id: JobId): { readonly end: Promise<JobEnd>; readonly stop: () => void } {
    const { promise, resolve, reject } = Promise.withResolvers<JobEnd>()
    if (this.#over !== undefined) {
      reject(this.#over)
      return { end: promise, stop: () => undefined }
    }
    const waiter: Waiter = { resolve, reject }
    const waiters = this.#waiters.get(id)
    if (waiters === undefined) {
      this.#waiters.set(id, new Set([waiter]))
      this.#later(this.#toWatch, id)
    } else waiters.add(waiter)
    return { end: promise, stop: () => this.#stop(id, waiter) }
  }

  ended(ends: readonly JobEnd[]): void {
    for (const end of ends) {
      for (const { resolve } of this.#take(end.jobId)) resolve(end)
    }
  }

  /** No row has these ids. */
  missing(ids: readonly JobId[], errorFor: (id: JobId) => Error): void {
    for (const id of ids) {
      for (const { reject } of this.#take(id)) reject(errorFor(id))
    }
  }

  /** A new supervisor thread knows of no wait: tell it. */
  resume(): void {
    if (this.#waiters.size > 0) this.#thread.send({ type: 'watch', ids: [...this.#waiters.keys()] })
  }

  /** Nobody will ever answer again: ends all waits, and each later one at once. */
  rejectAll(error: Error): void {
    this.#over = error
    for (const waiters of this.#waiters.values()) {
      for (const { reject } of waiters) reject(error)
    }
    this.#waiters.clear()
  }

  #take(id: JobId): ReadonlySet<Waiter> {
    const waiters = this.#waiters.get(id) ?? new Set()
    this.#waiters.delete(id)
    return waiters
  }

  #stop(id: JobId, waiter: Waiter): void {
    const waiters = this.#waiters.get(id)
    if (waiters === undefined || !waiters.delete(waiter) || waiters.size > 0) return
    this.#waiters.delete(id)
    this.#later(this.#toUnwatch, id)
  }

  #later(list: JobId[], id: JobId): void {
    list.push(id)
    if (this.#toWatch.length + this.#toUnwatch.length === 1) queueMicrotask(() => this.#flush())
  }

  /** An id that was given up and waited for again within the tick is still waited for. */
  #flush(): void {
    const unwatch = this.#toUnwatch.filter((id) => !this.#waiters.has(id))
    const watch = this.#toWatch.filter((id) => this.#waiters.has(id))
    this.#toWatch = []
    this.#toUnwatch = []
    if (unwatch.length > 0) this.#thread.send({ type: 'unwatch', ids: unwatch })
    if (watch.length > 0) this.#thread.send({ type: 'watch', ids: watch })
  }
}
