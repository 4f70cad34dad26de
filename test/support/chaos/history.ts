/**
 * What a chaos run really did, kept outside the database: one JSON line each, appended at once, so that no kill loses a line.
 * Times are monotonic milliseconds on one base for all processes (`now` of the diary).
 */
import { threadId } from 'node:worker_threads'
import type { JobContext } from '../../../src/index.ts'
import { now, write } from '../crash/diary.ts'

/** A sign of life of one body: the run of one handler on one thread. */
export interface BodyLine {
  readonly what: 'begin' | 'beat' | 'end'
  /** Names the body: no two have the same. */
  readonly body: string
  readonly id: string
  readonly attempt: number
  readonly pid: number
  readonly threadId: number
  readonly at: number
}

/** One line of the history. A *key* names a job before it has an id. */
export type HistoryLine =
  | BodyLine
  /** Jobs are about to be enqueued. */
  | { readonly what: 'offered'; readonly keys: readonly string[] }
  | { readonly what: 'acknowledged'; readonly id: string; readonly key: string }
  /** The enqueue was rejected as not stored. */
  | { readonly what: 'refused'; readonly keys: readonly string[]; readonly cause: string }
  /** The enqueue was rejected, stored or not. */
  | { readonly what: 'unclear'; readonly keys: readonly string[]; readonly code: string }
  /** A client was told how the job ended. */
  | { readonly what: 'told'; readonly id: string; readonly state: string }

let bodies = 0

/** A body that tells of itself for as long as it lives, so that two at once are seen and not inferred. */
export class Body {
  /** Its name. */
  readonly name = `${process.pid}.${threadId}.${++bodies}`
  readonly #file: string
  readonly #of: Pick<BodyLine, 'body' | 'id' | 'attempt' | 'pid' | 'threadId'>

  constructor(file: string, { job, attempt }: Pick<JobContext, 'job' | 'attempt'>) {
    this.#file = file
    this.#of = { body: this.name, id: job.id, attempt, pid: process.pid, threadId }
    this.#write('begin')
  }

  beat(): void {
    this.#write('beat')
  }

  /** Writes the last line and returns the name, which is then the job's result. */
  end(): string {
    this.#write('end')
    return this.name
  }

  #write(what: BodyLine['what']): void {
    write<BodyLine>(this.#file, { what, ...this.#of, at: now() })
  }
}
