import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Runtime } from '../../src/index.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/families.ts'

const jobsUrl = new URL('./jobs/families.ts', import.meta.url)
const scratch = new Scratch()
let runtime: Runtime<typeof jobs>
beforeAll(async () => {
  runtime = await openRuntime(scratch, jobsUrl)
})
afterAll(async () => {
  await runtime.close()
  scratch[Symbol.dispose]()
})

test('children of a handler that returns are there with its result, run, and know their family', async () => {
  const parent = await runtime.enqueue('parent', { names: ['a', 'b'] }, { correlationId: 'order-1' })
  const { children, last } = await parent.result()
  const [first] = children
  const result = (id: string) => runtime.handle<'child'>(id).then((handle) => handle.result())
  expect(await result(first ?? '')).toEqual({ name: 'a', parent: parent.id, root: parent.id, correlationId: 'of a' })
  expect(await result(last)).toEqual({ name: 'last', parent: parent.id, root: parent.id, correlationId: 'order-1' })
  expect(await runtime.get(last)).toMatchObject({ parent: parent.id, root: parent.id, correlationId: 'order-1' })
})

test('a failed attempt leaves no children', async () => {
  const before = await runtime.counts()
  const parent = await runtime.enqueue('parent', { names: ['a'], fails: true })
  expect(await rejection(parent.result())).toMatchObject({ code: 'REEVE_JOB_DISCARDED' })
  expect(await runtime.counts()).toEqual({ ...before, discarded: before.discarded + 1 })
})

test.each([
  ['reject', 'REEVE_OPTION_INVALID'],
  ['many', 'REEVE_PAYLOAD_TOO_LARGE'],
  ['large', 'REEVE_PAYLOAD_TOO_LARGE'],
] as const)('a child that no settle could answer for is refused in the handler: %s', async (how, code) => {
  const error = await rejection((await runtime.enqueue('misuses', { how })).result())
  expect(error).toMatchObject({ code: 'REEVE_JOB_DISCARDED', cause: { code } })
})

test('the job after a batch runs once all of the batch are over, however they ended', async () => {
  const handles = await runtime.enqueueMany(
    [
      { kind: 'child', input: 'a' },
      { kind: 'parent', input: { names: [], fails: true } },
    ],
    { onDone: { kind: 'child', input: 'done' } },
  )
  expect(await handles.onDone.result()).toMatchObject({ name: 'done' })
  expect(handles.length).toBe(2)
  const [first, second] = await Promise.all(handles.map(({ id }) => runtime.get(id)))
  expect([first?.state, second?.state]).toEqual(['completed', 'discarded'])
  const empty = await runtime.enqueueMany([], { onDone: { kind: 'child', input: 'at once' } })
  expect(await empty.onDone.result()).toMatchObject({ name: 'at once' })
})
