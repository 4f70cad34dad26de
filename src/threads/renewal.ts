/**
 * How the threads of a pool are replaced when the jobs are loaded anew: one thread more, the *probe*, loads them first. Only
 * where it has are the others stale, all in one step, and it is the first of the new generation.
 */
import type { ErrorRecord } from '../job/error-record.ts'
import type { LoadedJobs } from '../job/loaded-jobs.ts'
import { decodeError } from './error-codec.ts'
import type { Thread } from './thread.ts'

/** Who waits for the probe. */
interface Waiting {
  readonly resolve: (jobs: LoadedJobs) => void
  readonly reject: (error: unknown) => void
  readonly open: () => Thread
  probe: Thread
}

/** The generations of one pool. */
export class Renewal {
  #generation = 0
  #waiting: Waiting | null = null
  /** The first of its generation; it waits for a place where all have runs that began before. */
  #spare: Thread | null = null

  /** The generation of a thread that is opened now. */
  get generation(): number {
    return this.#generation
  }

  /** Whether it loaded what is old: nothing is started on it any more. */
  isStale(thread: Thread): boolean {
    return thread.generation < this.#generation
  }

  /** Whether it takes one of the pool's places: a probe does not, until its generation has come. */
  takesPlace(thread: Thread): boolean {
    return thread.takesPlace && thread.generation <= this.#generation
  }

  /** Opens a probe; resolves with what it has loaded. */
  begin(openOne: (generation: number) => Thread): Promise<LoadedJobs> {
    const open = () => openOne(this.#generation + 1)
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject, open, probe: open() }
    })
  }

  /** Whether somebody waits for this thread. */
  isProbe(thread: Thread): boolean {
    return this.#waiting?.probe === thread
  }

  /** A file took the probe down: another one leaves it out. Nothing where it was no probe. */
  again(thread: Thread): void {
    if (this.#waiting?.probe === thread) this.#waiting.probe = this.#waiting.open()
  }

  /** The probe has loaded: it is the spare, and `switchOver` is to make the others stale before whoever waits is told. */
  succeeded(probe: Thread, jobs: LoadedJobs, switchOver: () => void): void {
    const waiting = this.#waiting
    this.#waiting = null
    this.#spare = probe
    switchOver()
    waiting?.resolve(jobs)
  }

  /** The probe could not load, and all is as before. */
  failed(error: ErrorRecord): void {
    this.abandon(decodeError(error))
  }

  /** Nobody is to wait any more. */
  abandon(error: Error): void {
    this.#waiting?.reject(error)
    this.#waiting = null
  }

  /** All threads that there are now are stale, but for the spare. */
  advance(): void {
    this.#generation++
  }

  /** The spare, to be put into its place where there is one; otherwise it waits while stale threads may still make room. */
  takeSpare(hasPlace: boolean, threads: Iterable<Thread>): Thread | null {
    const spare = this.#spare
    if (spare === null) return null
    if (hasPlace) {
      this.#spare = null
      return spare
    }
    for (const thread of threads) if (this.isStale(thread) && thread.takesPlace) return null
    spare.retire()
    return null
  }

  /** The thread is dying. */
  leaving(thread: Thread): void {
    if (this.#spare === thread) this.#spare = null
  }
}
