import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const count = 100_000

test("a hundred thousand jobs are stored at once, and the app's thread goes on meanwhile", async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const many = Array.from({ length: count }, (_, input) => ({ kind: 'echo' as const, input }))
  delay.enable()
  const handles = await runtime.enqueueMany(many)
  delay.disable()
  expect(handles.length).toBe(count)
  expect(new Set(handles.map(({ id }) => id)).size).toBe(count)
  expect(await runtime.counts()).toMatchObject({ ready: count })
  expect((await runtime.get(handles[99_999]?.id ?? ''))?.input).toBe(99_999)
  expect(delay.percentile(95) / 1e6).toBeLessThan(100)
})

test('a batch that cannot be encoded to its end leaves nothing', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const many = Array.from({ length: 20_000 }, (_, input) => ({
    kind: 'echo' as const,
    input: input === 19_999 ? () => 0 : input,
  }))
  expect(await rejection(runtime.enqueueMany(many))).toMatchObject({ code: 'REEVE_PAYLOAD_UNCLONEABLE' })
  expect(await runtime.counts()).toMatchObject({ ready: 0 })
  expect(await runtime.enqueueMany(many.slice(0, 3_000))).toHaveLength(3_000)
})
