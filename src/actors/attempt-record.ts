/** What is on record of one attempt when it is settled: where and since when it ran, its last log lines, and what it timed. */
import type { Clock } from '../clock.ts'
import { type Timing, type TimingWord, timingsMax } from '../job/timing.ts'
import type { Ran } from '../persistence/commands/settle.ts'
import type { Run } from '../threads/thread-pool.ts'

/** How many log lines are kept for the error of a killed attempt. */
const logTailMax = 20

/** Collects it. */
export class AttemptRecord {
  readonly #timings: Timing[] = []
  #logTail: string[] = []

  /** The last log lines, oldest first. */
  get logTail(): readonly string[] {
    return this.#logTail
  }

  /** A line was logged. */
  line(message: string): void {
    this.#logTail.push(message)
    if (this.#logTail.length > logTailMax) this.#logTail.shift()
  }

  /** A stretch has begun, or has ended. */
  timing(word: TimingWord): void {
    const known = this.#timings[word.timing]
    if ('endMs' in word) {
      if (known !== undefined) this.#timings[word.timing] = { ...known, durationMs: Math.max(word.endMs - known.startMs, 0) }
    } else if (word.timing === this.#timings.length && word.timing < timingsMax) {
      this.#timings.push({ label: word.label, startMs: word.startMs, durationMs: null })
    }
  }

  /** What the settle is to say. The worker stamps monotonic time; what is stored is wall clock. */
  ran(run: Run, clock: Clock): Ran {
    const startedAt = run.startedAt()
    return {
      threadId: run.threadId,
      startedAt: startedAt === null ? null : Math.round(clock.wall() - Math.max(clock.mono() - startedAt, 0)),
      ...(this.#timings.length > 0 && { timings: [...this.#timings] }),
    }
  }
}
