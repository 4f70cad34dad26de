/** Everything that a runtime tells, from the first event on, and a way to wait for more of it. */
import type { Runtime, RuntimeEventName } from '../../../src/index.ts'

/** An event with its name, loosely typed: tests look at what they need. */
export interface LoggedEvent {
  readonly name: RuntimeEventName
  readonly jobId?: string
  readonly attempt?: number
  readonly token?: number
  readonly threadId?: number
  readonly note?: string | null
  readonly fraction?: number | null
  readonly runAt?: number
  readonly result?: unknown
  readonly durationMs?: number
  readonly error?: (Error & { readonly code?: string; readonly cause?: unknown }) | null
}

const everyName: readonly RuntimeEventName[] = [
  'started',
  'progress',
  'completed',
  'retrying',
  'discarded',
  'cancelled',
  'suspended',
  'snoozed',
  'interrupted',
  'breaker-opened',
  'breaker-closed',
  'condemned',
  'error',
  'restarted',
  'reloaded',
]

/** Listens to the events of a runtime. */
export class EventLog {
  readonly all: LoggedEvent[] = []
  #waiters: (() => void)[] = []

  constructor(runtime: Pick<Runtime, 'on'>, names: readonly RuntimeEventName[] = everyName) {
    for (const name of names) {
      runtime.on(name, (event) => {
        this.all.push({ name, ...event } as LoggedEvent)
        for (const wake of this.#waiters.splice(0)) wake()
      })
    }
  }

  /** The first event that fits, as soon as there is one. */
  async first(fits: (event: LoggedEvent) => boolean): Promise<LoggedEvent> {
    for (;;) {
      const found = this.all.find(fits)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#waiters.push(resolve))
    }
  }

  /** The first event of this name of this job. */
  of(name: RuntimeEventName, jobId: string): Promise<LoggedEvent> {
    return this.first((event) => event.name === name && event.jobId === jobId)
  }

  /** Resolves when the handler of this job has said `note` by `ctx.progress`, in its given attempt. */
  said(jobId: string, note: string, attempt = 1): Promise<LoggedEvent> {
    return this.first(
      (event) => event.name === 'progress' && event.jobId === jobId && event.note === note && event.attempt === attempt,
    )
  }

  /** The names of the events of one job, in order. */
  namesOf(jobId: string): readonly RuntimeEventName[] {
    return this.all.filter((event) => event.jobId === jobId).map((event) => event.name)
  }
}
