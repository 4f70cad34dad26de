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

test('a job that waits for others begins at once when the last of them is over', async () => {
  const [first, second] = await runtime.enqueueMany([
    { kind: 'echo', input: 1 },
    { kind: 'echo', input: 2 },
  ])
  const last = await runtime.enqueue('echo', 3, { after: [first, second.id], correlationId: 'import-7' })
  expect(await last.result()).toBe(3)
  const [row, before] = [await runtime.get(last.id), await runtime.get(second.id)]
  expect(row).toMatchObject({ correlationId: 'import-7', parent: null, root: null })
  // One commit may settle the one and claim the other, and each command bears the time at which it was asked for.
  expect(row?.claimedAt ?? 0).toBeGreaterThan((before?.settledAt ?? Number.POSITIVE_INFINITY) - 1_000)
  expect(before).toMatchObject({ state: 'completed' })
})

test('whoever waits for a job is told when it ends with another one', async () => {
  const first = await runtime.enqueue('echo', 1, { delay: '1h' })
  const [discarded, cancelled] = await runtime.enqueueMany([
    { kind: 'echo', options: { after: first } },
    { kind: 'echo', options: { after: first.id, afterFailed: 'cancel' } },
  ])
  const events: string[] = []
  const off = runtime.on('discarded', ({ jobId }) => events.push(jobId))
  const ends = [rejection(discarded.result()), rejection(cancelled.result())]
  await first.cancel()
  expect((await Promise.all(ends)).map(({ code }) => code)).toEqual(['REEVE_JOB_DISCARDED', 'REEVE_JOB_CANCELLED'])
  expect(await ends[0]).toMatchObject({ cause: { code: 'REEVE_DEPENDENCY_FAILED', jobId: first.id } })
  expect(events).toEqual([discarded.id])
  off()
})

test('to wait for a job that nobody knows is refused', async () => {
  const error = await rejection(runtime.enqueue('echo', 1, { after: 'nobody' }))
  expect(error).toMatchObject({ code: 'REEVE_JOB_NOT_FOUND', jobId: 'nobody' })
})
