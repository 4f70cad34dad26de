import { expect, test } from 'vitest'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/keeps.ts'

const jobsUrl = new URL('./jobs/keeps.ts', import.meta.url)

test('updates of many jobs on many threads, of a child process and of the app all count', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { threads: 3 })
  const handles = await runtime.enqueueMany(Array.from({ length: 6 }, () => ({ kind: 'counts' as const, input: 20 })))
  const kv = runtime.kv('counts')
  for (let time = 0; time < 20; time++) await kv.update<number>('count', (before = 0) => before + 1)
  for (const handle of handles) await handle.result()
  expect(await kv.get('count')).toBe(140)
  expect(await (await runtime.enqueue('countsInAProcess')).result()).toBe(1)
})

test('a value outlives its job and its runtime, as it was, for jobs of its kind', async () => {
  using scratch = new Scratch()
  const value = { at: new Date(5), seen: new Set(['a']), bytes: new Uint8Array([1, 2]) }
  {
    await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
    await (await runtime.enqueue('keeps', value)).result()
  }
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  expect(await runtime.kv('keeps').get('kept')).toEqual(value)
  expect(await (await runtime.enqueue('recalls', 'kept')).result()).toBeUndefined()
})

test('the app lists, deletes and sets', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const kv = runtime.kv('keeps')
  for (const key of ['b', 'a', 'c']) await kv.set(key, key.toUpperCase())
  await kv.set('c', undefined)
  await kv.delete('nobody')
  expect(await kv.list()).toEqual({
    entries: [
      { key: 'a', value: 'A' },
      { key: 'b', value: 'B' },
    ],
    next: undefined,
  })
  expect((await kv.list({ limit: 1 })).next).toBe('a')
  expect((await kv.list({ after: 'a' })).entries).toEqual([{ key: 'b', value: 'B' }])
  expect((await rejection(kv.set('x'.repeat(501), 1))).code).toBe('REEVE_OPTION_INVALID')
  expect((await rejection(kv.set('f', () => 1))).code).toBe('REEVE_PAYLOAD_UNCLONEABLE')
})

test('what a handler wrote before its thread was ended stays written', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  await rejection((await runtime.enqueue('writesOn')).result())
  expect(await runtime.kv('writesOn').get('last')).toBe(3)
})

test('an update whose function throws changes nothing and passes the error on', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const kv = runtime.kv('keeps')
  await kv.set('a', 1)
  const no = () => Promise.reject(new RangeError('no'))
  await expect(kv.update('a', no)).rejects.toThrow(RangeError)
  expect(await kv.get('a')).toBe(1)
})
