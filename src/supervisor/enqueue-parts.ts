/** Keeps the slices of large batches until the last one has come. */
import type { NewJob } from '../job/new-job.ts'
import type { EnqueueCall } from './messages.ts'

/** The slices of the calls that are not complete. */
export class EnqueueParts {
  readonly #parts = new Map<number, NewJob[][]>()

  add(call: number, jobs: NewJob[]): void {
    const parts = this.#parts.get(call)
    if (parts === undefined) this.#parts.set(call, [jobs])
    else parts.push(jobs)
  }

  /** Its caller has given up. */
  abandon(call: number): void {
    this.#parts.delete(call)
  }

  /** All jobs of a call; null where a slice went to a supervisor thread that is dead. */
  take({ call, jobs, parts = 0 }: EnqueueCall): readonly NewJob[] | null {
    const before = this.#parts.get(call) ?? []
    this.#parts.delete(call)
    if (before.length !== parts) return null
    return parts === 0 ? jobs : [...before, jobs].flat()
  }
}
