/** The events: their names, and what each carries. */
import { expectTypeOf } from 'vitest'
import type { JobId, Runtime, RuntimeEventName } from '../../src/index.ts'
import type jobs from './jobs.ts'

declare const runtime: Runtime<typeof jobs>

expectTypeOf<RuntimeEventName>().toEqualTypeOf<
  | 'started'
  | 'condemned'
  | 'progress'
  | 'completed'
  | 'retrying'
  | 'discarded'
  | 'cancelled'
  | 'suspended'
  | 'snoozed'
  | 'interrupted'
  | 'breaker-opened'
  | 'breaker-closed'
  | 'error'
  | 'restarted'
  | 'reloaded'
>()

/** Listeners that are right. */
export function right(): void {
  runtime.on('completed', (event) => {
    expectTypeOf(event.jobId).toEqualTypeOf<JobId>()
    expectTypeOf(event.kind).toEqualTypeOf<'resize' | 'fetch' | 'sweep' | 'report' | 'charge'>()
    expectTypeOf(event.durationMs).toEqualTypeOf<number>()
  })
  runtime.on('retrying', ({ error, runAt }) => {
    expectTypeOf(error).toEqualTypeOf<Error>()
    expectTypeOf(runAt).toEqualTypeOf<number>()
  })
  runtime.on('discarded', ({ error }) => expectTypeOf(error).toEqualTypeOf<Error | null>())
  expectTypeOf(runtime.on('restarted', () => undefined)).toEqualTypeOf<() => void>()
}

/** Listeners that are wrong. */
export function wrong(): void {
  // @ts-expect-error: there is no such event
  runtime.on('finished', () => undefined)
  // @ts-expect-error: this event carries no result
  runtime.on('started', ({ result }) => result)
  // @ts-expect-error: a kind is one of the names there are
  runtime.on('completed', ({ kind }) => kind === 'resise')
}
