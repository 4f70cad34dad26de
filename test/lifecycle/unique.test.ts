import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Runtime } from '../../src/index.ts'
import { openGate } from '../support/runtime/gate.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)
const scratch = new Scratch()
let runtime: Runtime<typeof jobs>
beforeAll(async () => {
  runtime = await openRuntime(scratch, jobsUrl, { threads: 2 })
})
afterAll(async () => {
  await runtime.close()
  scratch[Symbol.dispose]()
})

/** Resolves when the handler of a `gated` job is at its gate. */
async function enqueueGated(gate: string, key: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const off = runtime.on('progress', ({ note }) => note === 'at the gate' && resolve())
  const handle = await runtime.enqueue('gated', { gate }, { unique: { key, conflict: 'latest' } })
  await promise
  off()
  return handle
}

test('of a key that is held one gets the handle, and the result, of its holder', async () => {
  const unique = { key: 'same' }
  const first = await runtime.enqueue('echo', 1, { delay: 20, unique })
  const second = await runtime.enqueue('echo', 2, { unique })
  expect([first.enqueued, second.enqueued, second.id]).toEqual(['new', 'existing', first.id])
  expect(await second.result()).toBe(1)
})

test('a completed job serves as a cache for its key', async () => {
  const unique = { key: 'cached', conflict: 'reuse-completed' } as const
  const first = await runtime.enqueue('echo', 'made once', { unique })
  await first.result()
  const second = await runtime.enqueue('echo', 'not made', { unique })
  expect([second.enqueued, await second.result()]).toEqual(['existing', 'made once'])
})

test('a refused duplicate says which job holds the key, and of its batch nothing is stored', async () => {
  const holder = await runtime.enqueue('echo', 1, { delay: '1h', unique: { key: 'mine' } })
  const unique = { key: 'mine', conflict: 'reject' } as const
  expect(await rejection(runtime.enqueue('echo', 2, { unique }))).toMatchObject({ code: 'REEVE_JOB_DUPLICATE', jobId: holder.id })
  const before = await runtime.counts()
  const batch = runtime.enqueueMany([{ kind: 'echo' }, { kind: 'echo', options: { unique } }])
  expect(await rejection(batch)).toMatchObject({ code: 'REEVE_JOB_DUPLICATE', jobId: holder.id })
  expect(await runtime.counts()).toEqual(before)
  await holder.cancel()
  expect((await runtime.enqueue('echo', 3, { unique })).enqueued).toBe('new')
})

test('a follow-up runs after the job that it follows, at once, with the newest input', async () => {
  const first = await enqueueGated('follow-1', 'follow')
  const unique = { key: 'follow', conflict: 'latest' } as const
  const second = await runtime.enqueue('gated', { gate: 'never' }, { unique })
  const third = await runtime.enqueue('gated', { gate: 'follow-2' }, { unique })
  expect([second.enqueued, third.enqueued, third.id]).toEqual(['follow-up', 'replaced', second.id])
  const atGate = new Promise<void>((resolve) => {
    runtime.on('progress', ({ jobId }) => jobId === second.id && resolve())
  })
  openGate('follow-1')
  expect(await first.result()).toBe('through')
  await atGate
  openGate('follow-2')
  expect(await third.result()).toBe('through')
})

test.each([
  [{ key: '' }, 'unique.key'],
  [{ key: 'a', scope: 'all' }, 'unique.scope'],
  [{ key: 'a', conflict: 'merge' }, 'unique.conflict'],
  [{ key: 'a', while: 'ever' }, 'unique.while'],
  [{ key: 'a', maxWait: 5 }, 'unique.maxWait'],
  [{ key: 'a', conflict: 'debounce' }, 'delay'],
  [{ key: 'a', keys: 'b' }, 'unique.keys'],
])('a wrong rule %o is refused by the name of the option', async (unique, option) => {
  const error = await rejection(runtime.enqueue('echo', 1, { unique: unique as never }))
  expect(error).toMatchObject({ code: 'REEVE_OPTION_INVALID', message: expect.stringContaining(`'${option}'`) })
})
