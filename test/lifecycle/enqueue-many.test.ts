import { afterAll, beforeAll, expect, test } from 'vitest'
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

test('the handles come in the order of the jobs, whatever their kinds and options', async () => {
  const handles = await runtime.enqueueMany([
    { kind: 'echo', input: 'late', options: { delay: 30 } },
    { kind: 'nothing' },
    { kind: 'echo', input: new Date(5), options: { priority: 9 } },
  ])
  expect(handles.map(({ kind }) => kind)).toEqual(['echo', 'nothing', 'echo'])
  expect(await Promise.all(handles.map((handle) => handle.result()))).toEqual(['late', undefined, new Date(5)])
})

test('a thousand jobs at once are all run', async () => {
  const handles = await runtime.enqueueMany(Array.from({ length: 1_000 }, (_, input) => ({ kind: 'echo' as const, input })))
  const results = await Promise.all(handles.map((handle) => handle.result()))
  expect(results).toEqual(Array.from({ length: 1_000 }, (_, index) => index))
})

test('an empty list gives an empty list', async () => {
  expect(await runtime.enqueueMany([])).toEqual([])
})

test.each<[string, object, string]>([
  ['an input that cannot be cloned', { kind: 'echo', input: { socket: () => {} } }, 'REEVE_PAYLOAD_UNCLONEABLE'],
  ['a wrong option', { kind: 'echo', options: { priority: 0.5 } }, 'REEVE_OPTION_INVALID'],
])('%s in one of the jobs, and none of them is stored', async (_what, wrong, code) => {
  const before = await runtime.counts()
  const later = { delay: '1h' } as const
  const list = [{ kind: 'echo', input: 1, options: later }, wrong, { kind: 'echo', input: 3, options: later }]
  expect(await rejection(runtime.enqueueMany(list as []))).toMatchObject({ code })
  expect(await runtime.counts()).toEqual(before)
})
