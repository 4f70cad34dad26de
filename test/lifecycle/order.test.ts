import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { EventLog } from '../support/runtime/event-log.ts'
import { openGate } from '../support/runtime/gate.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)

test('jobs of a higher priority run first, and those of one priority in the order of their enqueue', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime, ['started', 'progress'])
  const gate = randomUUID()
  const first = await runtime.enqueue('gated', { gate })
  await events.said(first.id, 'at the gate')
  const handles = await runtime.enqueueMany([
    { kind: 'echo', input: 'c1', options: { priority: -1 } },
    { kind: 'echo', input: 'b1' },
    { kind: 'echo', input: 'a1', options: { priority: 7 } },
    { kind: 'echo', input: 'b2', options: { priority: 0 } },
    { kind: 'echo', input: 'a2', options: { priority: 7 } },
    { kind: 'echo', input: 'c2', options: { priority: -1 } },
  ])
  openGate(gate)
  expect(await Promise.all(handles.map((handle) => handle.result()))).toEqual(['c1', 'b1', 'a1', 'b2', 'a2', 'c2'])
  const idOf = ([0, 1, 2, 3, 4, 5] as const).map((index) => handles[index].id)
  const started = events.all.filter(({ name }) => name === 'started').map(({ jobId }) => jobId)
  expect(started).toEqual([first.id, ...[2, 4, 1, 3, 0, 5].map((index) => idOf[index])])
})

test('a job is not started before its delay is over, or before its runAt', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const at = new Date(Date.now() + 250)
  const delayed = await runtime.enqueue('where', undefined, { delay: '200ms' })
  const dated = await runtime.enqueue('where', undefined, { runAt: at })
  const numbered = await runtime.enqueue('where', undefined, { runAt: at.getTime() + 1 })
  const past = await runtime.enqueue('where', undefined, { runAt: new Date(0) })
  const tomorrow = await runtime.enqueue('where', undefined, { delay: '1d' })
  await Promise.all([past, delayed, dated, numbered].map((handle) => handle.result()))
  const times = await Promise.all([delayed, dated, numbered].map(({ id }) => runtime.get(id)))
  for (const job of times) expect(job?.claimedAt).toBeGreaterThanOrEqual(job?.runAt ?? Number.POSITIVE_INFINITY)
  expect(times[0]?.runAt).toBeGreaterThanOrEqual((times[0]?.createdAt ?? Number.POSITIVE_INFINITY) + 190)
  expect(times[1]?.runAt).toBe(at.getTime())
  expect(times[2]?.runAt).toBe(at.getTime() + 1)
  expect((await runtime.get(tomorrow.id))?.state).toBe('ready')
})

test('a runtime that was given queues runs the jobs of those, and leaves the others alone', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { queues: ['mail', 'images'] })
  const other = await runtime.enqueue('where', undefined, { priority: 100 })
  const mail = await runtime.enqueue('where', undefined, { queue: 'mail' })
  const image = await runtime.enqueue('where', undefined, { queue: 'images', priority: -5 })
  expect(await mail.result()).toMatchObject({ queue: 'mail' })
  expect(await image.result()).toMatchObject({ queue: 'images' })
  expect(await runtime.get(other.id)).toMatchObject({ queue: 'default', state: 'ready', attempt: 0 })
})
