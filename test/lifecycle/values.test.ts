import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Runtime } from '../../src/index.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)
const scratch = new Scratch()
let runtime: Runtime<typeof jobs>
beforeAll(async () => {
  runtime = await openRuntime(scratch, jobsUrl)
})
afterAll(async () => {
  await runtime.close()
  scratch[Symbol.dispose]()
})

describe('a value goes to the handler and its result comes back as it was', () => {
  const date = new Date('2024-02-29T12:00:00.123Z')
  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a number', 1.5],
    ['a negative zero', -0],
    ['not a number', Number.NaN],
    ['a string with a lone surrogate and a zero', 'a\ud800b\0c'],
    ['an object of plain values', { file: 'a.png', sizes: [1, 2, { w: null }], deep: { er: true } }],
    ['a key named __proto__', JSON.parse('{"__proto__": {"x": 1}}')],
    ['a Date', date],
    ['a BigInt', 2n ** 80n],
    ['bytes', new Uint8Array([0, 255, 7])],
    ['a Map and a Set', new Map<unknown, unknown>([[date, new Set([1n])]])],
    ['an undefined field', { here: undefined }],
    ['a regular expression', /a+/gi],
  ])('%s', async (_name, value) => {
    const handle = await runtime.enqueue('echo', value)
    expect(await handle.result()).toStrictEqual(value)
    expect((await runtime.get(handle.id))?.input).toStrictEqual(value)
  })

  test('a cycle', async () => {
    const cyclic: { self?: unknown } = {}
    cyclic.self = cyclic
    const result = (await (await runtime.enqueue('echo', cyclic)).result()) as typeof cyclic
    expect(result.self).toBe(result)
  })
})

describe('a result can be asked for', () => {
  test('again and again, also long after the job was over', async () => {
    const handle = await runtime.enqueue('echo', { n: 1 })
    expect(await Promise.all([handle.result(), handle.result()])).toEqual([{ n: 1 }, { n: 1 }])
    expect(await handle.result()).toEqual({ n: 1 })
  })

  test('by the id alone, from another runtime on the same file', async () => {
    const { id } = await runtime.enqueue('echo', 'for the other')
    await using other = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
    const handle = await other.handle(id)
    expect(handle).toMatchObject({ id, kind: 'echo' })
    expect(await handle.result()).toBe('for the other')
    expect(await handle.result()).toBe('for the other')
  })

  test('of a job that failed for good, with the same error each time', async () => {
    const handle = await runtime.enqueue('succeedsAt', { attempt: 9 }, { retry: { attemptsMax: 1 } })
    const [first, second] = [await rejection(handle.result()), await rejection(handle.result())]
    expect(first).toMatchObject({ code: 'REEVE_JOB_DISCARDED', jobId: handle.id, kind: 'succeedsAt', attempt: 1 })
    expect(first.cause).toMatchObject({ name: 'RangeError', code: 'E_EARLY', message: 'attempt 1 is too early' })
    expect(second.message).toBe(first.message)
  })
})

describe('a value that cannot be stored is refused before anything is stored', () => {
  test('a function inside, with the path to it and the kind', async () => {
    const error = await rejection(runtime.enqueue('echo', { user: { onSave: () => {} } }))
    expect(error).toMatchObject({ code: 'REEVE_PAYLOAD_UNCLONEABLE', message: expect.stringContaining('user.onSave') })
  })

  test('a value over the cap', async () => {
    await using small = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0, payloadBytesMax: 100 })
    expect(await rejection(small.enqueue('echo', 'x'.repeat(101)))).toMatchObject({ code: 'REEVE_PAYLOAD_TOO_LARGE' })
  })

  test('an id that no job has is said to be unknown', async () => {
    expect(await rejection(runtime.handle('nobody'))).toMatchObject({ code: 'REEVE_JOB_NOT_FOUND', jobId: 'nobody' })
    expect(await runtime.get('nobody')).toBeNull()
  })
})
