/**
 * How many jobs to claim beyond the idle threads. Pure. Short jobs are claimed ahead, so that one commit serves
 * many; for longer ones a commit between two jobs costs nothing that anybody could measure, and a job that is
 * held here is kept from other processes.
 */

/** Jobs that run longer than this on average are not claimed ahead. */
const shortRunMs = 50
/** So much work is held ahead, that one claim serves several jobs; a claim costs a tenth of a millisecond of the processor. */
const bridgeMs = 20
const aheadPerThreadMax = 32
/** The weight of the newest run in the average. */
const newest = 0.05

/** The running average of how long runs take, and what follows from it. */
export class ReadAhead {
  #averageMs = Number.POSITIVE_INFINITY

  /** Takes note of a run that ended. */
  ranFor(ms: number): void {
    this.#averageMs = this.#averageMs === Number.POSITIVE_INFINITY ? ms : this.#averageMs + (ms - this.#averageMs) * newest
  }

  /** Forgets the average: jobs that were held ahead waited too long. */
  reset(): void {
    this.#averageMs = Number.POSITIVE_INFINITY
  }

  /** How many jobs to hold beyond those that start at once. */
  target(threads: number): number {
    if (this.#averageMs > shortRunMs) return 0
    const perThread = Math.min(Math.max(Math.ceil(bridgeMs / Math.max(this.#averageMs, 0.01)), 1), aheadPerThreadMax)
    return perThread * threads
  }
}
