/**
 * Keeps the log lines of an attempt in the store: a few times a second, one batch at a time, and no more lines than are kept
 * at all. So a handler that logs in a tight loop costs the store no more than one that logs now and then.
 */
import type { Clock, Timer } from '../clock.ts'
import type { JobLogLimits } from '../job/job-log.ts'
import type { Lease } from '../job/lease.ts'
import { logLevels } from '../log-level.ts'
import type { KeptLine } from '../persistence/commands/log.ts'
import { cutText } from '../threads/plain-data.ts'
import type { LogRecord } from '../threads/protocol.ts'
import type { Committer } from './committer.ts'

/** A short job's lines go with its settle, in one commit; a long one's are seen this much later. */
const writeEveryMs = 250
/** Of the fields of a line, as JSON. */
const fieldsMax = 8_192

/** What a log writer works with; without limits it keeps nothing. */
export interface LogServices {
  readonly committer: Pick<Committer, 'submit'>
  readonly clock: Clock
  readonly jobLogs: JobLogLimits | null
}

/** Writes log lines under the attempt's lease token; stale ones are not written. */
export class LogWriter {
  readonly #lease: Lease
  readonly #attempt: number
  readonly #services: LogServices
  #waiting: { readonly line: number; readonly record: LogRecord }[] = []
  #said = 0
  /** Lines that were not written for the flood of those after them. */
  #dropped = 0
  #timer: Timer | undefined
  #stopped = false

  constructor(lease: Lease, attempt: number, services: LogServices) {
    this.#lease = lease
    this.#attempt = attempt
    this.#services = services
  }

  /** Takes a line. Where too many wait, the oldest one is dropped. */
  write(record: LogRecord): void {
    const { jobLogs, clock } = this.#services
    if (this.#stopped || jobLogs === null || record.level < jobLogs.level) return
    this.#waiting.push({ line: ++this.#said, record })
    // One place is for the line that says how many were dropped.
    if (this.#waiting.length >= jobLogs.max) {
      this.#waiting.shift()
      this.#dropped++
    }
    this.#timer ??= clock.after(writeEveryMs, () => this.#flush())
  }

  /** Writes what still waits, and then nothing any more: the settle comes next. */
  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    void this.#submitWaiting()
  }

  /** The next batch waits for the answer to this one: a slow disk makes fewer batches, not a queue of them. */
  async #flush(): Promise<void> {
    await this.#submitWaiting()
    this.#timer = undefined
    if (this.#waiting.length > 0 && !this.#stopped) this.#timer = this.#services.clock.after(writeEveryMs, () => this.#flush())
  }

  async #submitWaiting(): Promise<void> {
    const { committer, jobLogs } = this.#services
    if (this.#waiting.length === 0 || jobLogs === null) return
    const lines = this.#waiting.map(({ line, record }) => kept(line, record))
    const [first] = lines
    if (this.#dropped > 0 && first !== undefined) lines.unshift(gapBefore(first, this.#dropped))
    this.#waiting = []
    this.#dropped = 0
    // Lines may be lost (a full disk); the attempt itself must not suffer for it.
    await committer
      .submit({ type: 'log', lease: this.#lease, attempt: this.#attempt, lines, keep: jobLogs.max })
      .catch(() => undefined)
  }
}

function kept(line: number, { at, level, message, fields }: LogRecord): KeptLine {
  const json = fields === null ? null : JSON.stringify(fields)
  const isCut = json !== null && json.length > fieldsMax
  return { line, at, level, message, fields: isCut ? JSON.stringify({ cut: cutText(json, fieldsMax) }) : json }
}

function gapBefore({ line, at }: KeptLine, dropped: number): KeptLine {
  const lines = dropped === 1 ? '1 line was' : `${dropped} lines were`
  const message = `${lines} dropped: the handler logged faster than lines are kept`
  return { line: line - 1, at, level: logLevels.warn, message, fields: null }
}
