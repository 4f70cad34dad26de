/** A call in one: it takes what an enqueue takes, and resolves with what the handler returns. */
import { expectTypeOf } from 'vitest'
import type { Runtime } from '../../src/index.ts'
import type jobs from './jobs.ts'

declare const runtime: Runtime<typeof jobs>

/** Calls that are right. */
export function right(): void {
  expectTypeOf(runtime.call('resize', { file: 'a', width: 1 })).resolves.toEqualTypeOf<{ path: string; bytes: bigint }>()
  void runtime.call('sweep', undefined, { wait: { timeout: '1s', signal: AbortSignal.abort() }, timeout: '1m' })
}

/** Calls that are wrong. */
export function wrong(): void {
  // @ts-expect-error: there is no such kind
  void runtime.call('resise', { file: 'a', width: 1 })
  // @ts-expect-error: the input lacks its width
  void runtime.call('resize', { file: 'a' })
  // @ts-expect-error: the wait has options of its own
  void runtime.call('sweep', undefined, { signal: AbortSignal.abort() })
}

/** Waits that are taken up by a key are typed by the kind, where it is named. */
export async function byKey(): Promise<void> {
  const handle = await runtime.handleByKey({ kind: 'resize', key: 'a.png' })
  expectTypeOf(handle?.result()).toEqualTypeOf<Promise<{ path: string; bytes: bigint }> | undefined>()
  // @ts-expect-error: a key counts in a kind or in a queue
  void runtime.handleByKey({ key: 'a.png' })
  // @ts-expect-error: there is no such kind
  void runtime.handleByKey({ kind: 'resise', key: 'a.png' })
}
