/** The jobs of a folder, by the types of its files. */
import { expectTypeOf } from 'vitest'
import { createRuntime, type JobHandle, type JobsOfFiles, type Runtime } from '../../src/index.ts'

type FolderJobs = JobsOfFiles<{
  named: typeof import('./folder/named.ts')
  checked: typeof import('./folder/checked.ts')
  whole: typeof import('./folder/whole.ts')
  bare: typeof import('./folder/bare.ts')
}>

declare const runtime: Runtime<FolderJobs>

/** Calls that are right. */
export async function right(): Promise<void> {
  expectTypeOf(await createRuntime<FolderJobs>({ database: 'a.db', jobs: './folder' })).toEqualTypeOf<Runtime<FolderJobs>>()
  expectTypeOf(await runtime.enqueue('named', { file: 'a' })).toEqualTypeOf<JobHandle<{ path: string }>>()
  expectTypeOf(await runtime.enqueue('checked', { cents: '12' })).toEqualTypeOf<JobHandle<number>>()
  expectTypeOf(await runtime.enqueue('whole', 1)).toEqualTypeOf<JobHandle<string>>()
  expectTypeOf(await runtime.enqueue('bare')).toEqualTypeOf<JobHandle<bigint>>()
  expectTypeOf(await runtime.kinds()).toEqualTypeOf<readonly ('named' | 'checked' | 'whole' | 'bare')[]>()
  const { added, failed } = await runtime.reload()
  expectTypeOf(added).toEqualTypeOf<readonly string[]>()
  expectTypeOf(failed).toEqualTypeOf<readonly { readonly file: string; readonly error: Error }[]>()
}

/** Calls that are wrong. */
export async function wrong(): Promise<void> {
  // @ts-expect-error: there is no such file
  await runtime.enqueue('nmaed', { file: 'a' })
  // @ts-expect-error: a field is of another type
  await runtime.enqueue('named', { file: 1 })
  // @ts-expect-error: what the schema gives out is not what it takes in
  await runtime.enqueue('checked', { cents: 12 })
  // @ts-expect-error: the input is of another type
  await runtime.enqueue('whole', '1')
  // @ts-expect-error: the kind takes no input
  await runtime.enqueue('bare', 1)
}

// @ts-expect-error: this file exports no handler
export type Wrong = JobsOfFiles<{ none: typeof import('./folder/none.ts') }>
