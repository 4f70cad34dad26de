/**
 * Tells the app what became of its jobs: the ends that somebody waits for, and the events that somebody listens to.
 * All of it is sent in one message a turn, after the COMMIT that made it true.
 */
import type { Clock } from '../clock.ts'
import type { JobEnd, JobEvent } from '../job/job-events.ts'
import type { JobId } from '../job/lease.ts'
import { isTerminal, type TerminalState } from '../job/state.ts'
import type { JobRow } from '../persistence/job-row.ts'
import type { Store } from '../persistence/store.ts'

/** What the notifier sends; the supervisor's host gives it a port. */
export interface Outbox {
  ended(ends: readonly JobEnd[]): void
  /** Ids that somebody waits for and no row has. */
  missing(ids: readonly JobId[]): void
  events(events: readonly JobEvent[]): void
}

/** What a notifier works with. */
export interface NotifierOptions {
  readonly store: Pick<Store, 'finished'>
  readonly clock: Clock
  readonly outbox: Outbox
  readonly failed: (error: unknown) => void
}

/** Keeps who waits for what, and sends what they wait for. */
export class Notifier {
  readonly #options: NotifierOptions
  readonly #watched = new Set<JobId>()
  #wanted: ReadonlySet<JobEvent['type']> = new Set()
  #ends: JobEnd[] = []
  #events: JobEvent[] = []
  #flushScheduled = false

  constructor(options: NotifierOptions) {
    this.#options = options
  }

  /** From now on the end of these jobs is told, also if it came before. */
  watch(ids: readonly JobId[]): void {
    for (const id of ids) this.#watched.add(id)
    this.#lookUp(ids)
  }

  /** Nobody waits for these any more. */
  unwatch(ids: readonly JobId[]): void {
    for (const id of ids) this.#watched.delete(id)
  }

  /** Which events somebody listens to; others cost nothing. */
  listen(types: readonly JobEvent['type'][]): void {
    this.#wanted = new Set(types)
  }

  wants(type: JobEvent['type']): boolean {
    return this.#wanted.has(type)
  }

  /** A job came to its end here. */
  ended(end: JobEnd): void {
    if (!this.#watched.delete(end.jobId)) return
    this.#ends.push(end)
    this.#scheduleFlush()
  }

  /** Something happened to a job here. */
  event(event: JobEvent): void {
    if (!this.#wanted.has(event.type)) return
    this.#events.push(event)
    this.#scheduleFlush()
  }

  /** Another connection has committed: one of the watched jobs may have ended there. */
  recheck(): void {
    this.#lookUp([...this.#watched])
  }

  /** Sends what waits to be sent. */
  flush(): void {
    this.#flushScheduled = false
    const { outbox } = this.#options
    if (this.#events.length > 0) outbox.events(this.#events)
    if (this.#ends.length > 0) outbox.ended(this.#ends)
    this.#events = []
    this.#ends = []
  }

  #lookUp(ids: readonly JobId[]): void {
    if (ids.length > 0) this.#tellFinished(ids).catch(this.#options.failed)
  }

  async #tellFinished(ids: readonly JobId[]): Promise<void> {
    const missing: JobId[] = []
    for (const [id, row] of await this.#options.store.finished(ids)) {
      if (row === null) missing.push(id)
      else if (isTerminal(row.state)) this.ended(endOf(row, row.state))
    }
    this.unwatch(missing)
    if (missing.length > 0) this.#options.outbox.missing(missing)
  }

  #scheduleFlush(): void {
    if (this.#flushScheduled) return
    this.#flushScheduled = true
    this.#options.clock.nextTurn(() => this.flush())
  }
}

function endOf(row: JobRow, state: TerminalState): JobEnd {
  return { jobId: row.id, kind: row.kind, attempt: row.attempt, state, result: row.result, error: row.error }
}
