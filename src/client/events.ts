/** The events of a runtime as its user sees them: decoded, typed by kind. */
import { EventEmitter } from 'node:events'
import type { Jobs, KindOf, ResultOf } from '../job/definition.ts'
import type { JobEvent } from '../job/job-events.ts'
import type { JobId } from '../job/lease.ts'
import { decodePayload } from '../job/payload.ts'
import { reviveError } from '../threads/revive-error.ts'
import type { JobsReload } from './jobs-reload.ts'

/** Which attempt of which job an event is about. */
export interface JobEventBase<J extends Jobs = Jobs> {
  readonly jobId: JobId
  readonly kind: KindOf<J>
  readonly queue: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The fencing token of the attempt. */
  readonly token: number
}

/** What each event carries. All but `started` and `progress` come after the COMMIT that made them true. */
export interface RuntimeEvents<J extends Jobs = Jobs> {
  /** A job was handed to a thread of this runtime. */
  started: JobEventBase<J> & { readonly threadId: number }
  /** A thread that was told to terminate is still alive after `killWait`: it is written off, and the job stays `running` until it exits. */
  condemned: JobEventBase<J> & { readonly threadId: number }
  /** A handler called `ctx.progress`. */
  progress: JobEventBase<J> & { readonly fraction: number | null; readonly note: string | null }
  completed: JobEventBase<J> & { readonly result: ResultOf<J, KindOf<J>>; readonly durationMs: number }
  /** An attempt failed; the job runs again at `runAt` (milliseconds since the Unix epoch). */
  retrying: JobEventBase<J> & { readonly error: Error; readonly runAt: number }
  /** A job became a dead letter. */
  discarded: JobEventBase<J> & { readonly error: Error | null }
  cancelled: JobEventBase<J>
  /** A handler waits (`ctx.step.sleep`, `waitForEvent`): its job has left its thread, and goes on later. */
  suspended: JobEventBase<J>
  /** A handler put its own job back, uncharged (`ctx.snooze`, `ctx.backOff`, `ctx.releaseGroup`); it runs again at `runAt`. */
  snoozed: JobEventBase<J> & { readonly runAt: number }
  /** A job was put back uncharged: a drain, an unknown kind, a neighbour's fault. */
  interrupted: JobEventBase<J> & { readonly error: Error | null; readonly runAt: number }
  /** The attempt was one failure too many: nothing of the kind begins before `until` (milliseconds since the Unix epoch), in any process. */
  'breaker-opened': JobEventBase<J> & { readonly until: number }
  /** The job that was let through completed: the kind runs again. */
  'breaker-closed': JobEventBase<J>
  /** Something is wrong that no single call can be told of: the supervisor thread died, a thread cannot load the jobs. */
  error: { readonly error: Error }
  /** A new supervisor thread is up after the death of the last one. */
  restarted: Record<never, never>
  /** The jobs were loaded anew, by `reload()` or by `watch`. */
  reloaded: JobsReload
}

/** The names of the events. */
export type RuntimeEventName = keyof RuntimeEvents

const emittedHere: readonly RuntimeEventName[] = ['error', 'restarted', 'reloaded']

/** Listeners by event; tells the supervisor which events anybody listens to. */
export class EventHub {
  readonly #emitter = new EventEmitter<Record<string, [event: never]>>()
  readonly #wantedChanged: (events: readonly JobEvent['type'][]) => void

  constructor(wantedChanged: (events: readonly JobEvent['type'][]) => void) {
    this.#wantedChanged = wantedChanged
    this.#emitter.setMaxListeners(0)
  }

  /** Adds a listener and returns the function that takes it off again. */
  on(event: string, listener: (event: never) => void): () => void {
    this.#emitter.on(event, listener)
    this.#wantedChanged(this.wanted())
    return () => {
      this.#emitter.off(event, listener)
      this.#wantedChanged(this.wanted())
    }
  }

  /** The events of jobs that somebody listens to. */
  wanted(): readonly JobEvent['type'][] {
    return (this.#emitter.eventNames() as RuntimeEventName[]).filter((name) => !emittedHere.includes(name)) as JobEvent['type'][]
  }

  /** Decodes and hands out the events of the supervisor. */
  receive(events: readonly JobEvent[]): void {
    for (const event of events) this.emit(event.type, decoded(event))
  }

  /** Hands out one event. A listener that throws is an uncaught error of the app, but keeps no other listener from hearing. */
  emit(name: RuntimeEventName, event: object): void {
    for (const listener of this.#emitter.listeners(name)) {
      try {
        ;(listener as (event: object) => void)(event)
      } catch (error) {
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}

function decoded(event: JobEvent): object {
  const { type: _, ...rest } = event
  if (event.type === 'completed') return { ...rest, result: decodePayload(event.result) }
  if ('error' in event) return { ...rest, error: event.error === null ? null : reviveError(event.error) }
  return rest
}
