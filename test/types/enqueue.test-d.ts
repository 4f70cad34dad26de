/** What compiles, what does not, and which types come out. Checked by `tsc`; nothing here is run. */
import { expectTypeOf } from 'vitest'
import type { InputOf, JobHandle, JobId, KindOf, ResultOf, Runtime } from '../../src/index.ts'
import type jobs from './jobs.ts'

declare const runtime: Runtime<typeof jobs>
type Kinds = typeof jobs

expectTypeOf<KindOf<Kinds>>().toEqualTypeOf<'resize' | 'fetch' | 'sweep' | 'report' | 'charge'>()

// The handler's own parameter, or what the schema takes in.
expectTypeOf<InputOf<Kinds, 'resize'>>().toEqualTypeOf<{ file: string; width: number }>()
expectTypeOf<InputOf<Kinds, 'charge'>>().toEqualTypeOf<{ cents: string; note?: string | undefined }>()
expectTypeOf<InputOf<Kinds, 'report'>>().toEqualTypeOf<Date | undefined>()

// What the handler returns, once awaited.
expectTypeOf<ResultOf<Kinds, 'resize'>>().toEqualTypeOf<{ path: string; bytes: bigint }>()
expectTypeOf<ResultOf<Kinds, 'fetch'>>().toEqualTypeOf<Map<string, number>>()
expectTypeOf<ResultOf<Kinds, 'sweep'>>().toEqualTypeOf<undefined>()
expectTypeOf<ResultOf<Kinds, 'charge'>>().toEqualTypeOf<{ cents: number; note: string }>()

/** Calls that are right. */
export async function right(): Promise<void> {
  const handle = await runtime.enqueue('resize', { file: 'a.png', width: 1 }, { priority: 1, delay: '5s' })
  expectTypeOf(handle).toEqualTypeOf<JobHandle<{ path: string; bytes: bigint }>>()
  expectTypeOf(handle.id).toEqualTypeOf<JobId>()
  expectTypeOf(await handle.result()).toEqualTypeOf<{ path: string; bytes: bigint }>()
  await runtime.enqueue('sweep')
  await runtime.enqueue('sweep', undefined, { queue: 'night' })
  await runtime.enqueue('report')
  await runtime.enqueue('report', new Date(0))
  await runtime.enqueue('charge', { cents: '12' })
}

/** Calls that are wrong. */
export async function wrong(): Promise<void> {
  // @ts-expect-error: there is no such kind
  await runtime.enqueue('resise', { file: 'a.png', width: 1 })
  // @ts-expect-error: the input is missing
  await runtime.enqueue('resize')
  // @ts-expect-error: a field is missing
  await runtime.enqueue('resize', { file: 'a.png' })
  // @ts-expect-error: a field is misspelt
  await runtime.enqueue('resize', { file: 'a.png', widht: 1 })
  // @ts-expect-error: a field is of another type
  await runtime.enqueue('resize', { file: 'a.png', width: '1' })
  // @ts-expect-error: the kind takes no input
  await runtime.enqueue('sweep', { all: true })
  // @ts-expect-error: what the schema gives out is not what it takes in
  await runtime.enqueue('charge', { cents: 12 })
  // @ts-expect-error: there is no such option
  await runtime.enqueue('sweep', undefined, { proirity: 1 })
  // @ts-expect-error: this is no duration
  await runtime.enqueue('sweep', undefined, { delay: '5 minutes' })
  const handle = await runtime.enqueue('resize', { file: 'a.png', width: 1 })
  // @ts-expect-error: the result has no such field
  void (await handle.result()).width
  // @ts-expect-error: the result is of another type
  const path: number = (await handle.result()).path
  void path
}
