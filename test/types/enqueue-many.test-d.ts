/** `enqueueMany`: each entry is checked against its own kind, and each handle has the result of its own kind. */
import { expectTypeOf } from 'vitest'
import type { JobHandle, Runtime } from '../../src/index.ts'
import type jobs from './jobs.ts'

declare const runtime: Runtime<typeof jobs>

/** Calls that are right. */
export async function right(files: readonly string[]): Promise<void> {
  const handles = await runtime.enqueueMany([
    { kind: 'resize', input: { file: 'a.png', width: 1 } },
    { kind: 'sweep', options: { priority: 1 } },
    { kind: 'fetch', input: new URL('https://example.org') },
  ])
  expectTypeOf(handles).toEqualTypeOf<
    [JobHandle<{ path: string; bytes: bigint }>, JobHandle<undefined>, JobHandle<Map<string, number>>]
  >()
  const mapped = await runtime.enqueueMany(files.map((file) => ({ kind: 'resize' as const, input: { file, width: 1 } })))
  expectTypeOf(mapped).toEqualTypeOf<JobHandle<{ path: string; bytes: bigint }>[]>()
}

/** Calls that are wrong. */
export async function wrong(): Promise<void> {
  // @ts-expect-error: there is no such kind
  await runtime.enqueueMany([{ kind: 'sweep' }, { kind: 'sweeep' }])
  // @ts-expect-error: the input is missing
  await runtime.enqueueMany([{ kind: 'resize' }])
  // @ts-expect-error: the input is that of another kind
  await runtime.enqueueMany([{ kind: 'resize', input: new URL('https://example.org') }])
  // @ts-expect-error: there is no such option
  await runtime.enqueueMany([{ kind: 'sweep', options: { proirity: 1 } }])
  // @ts-expect-error: this is no list
  await runtime.enqueueMany({ kind: 'sweep' })
}
