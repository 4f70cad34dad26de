import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { EventLog } from '../support/runtime/event-log.ts'
import { openGate } from '../support/runtime/gate.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/limited.ts'

const jobsUrl = new URL('./jobs/limited.ts', import.meta.url)
const options = { threads: 3, resources: { gpu: 1 } }

test('a limit holds over two runtimes, blocks nobody else, and its next job begins when the first ends', async () => {
  using scratch = new Scratch()
  await using one = await openRuntime<typeof jobs>(scratch, jobsUrl, options)
  await using two = await openRuntime<typeof jobs>(scratch, jobsUrl, options)
  const events = [new EventLog(one, ['progress', 'started']), new EventLog(two, ['progress', 'started'])]
  const gates = [randomUUID(), randomUUID()]
  const [first, second] = await one.enqueueMany(gates.map((gate) => ({ kind: 'single' as const, input: { gate } })))
  if (first === undefined || second === undefined) throw new Error('two were enqueued')
  const atGate = () => Promise.race(events.map((log) => log.said(first.id, 'at the gate')))
  await atGate()
  expect(await (await two.enqueue('free')).result()).toBe('free')
  expect((await one.get(second.id))?.state).toBe('ready')
  openGate(gates[0] ?? '')
  await first.result()
  await Promise.race(events.map((log) => log.said(second.id, 'at the gate')))
  openGate(gates[1] ?? '')
  await second.result()
})

test('the jobs of an exclusive group run in order on many threads, and a handler knows its group', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, options)
  const events = new EventLog(runtime, ['started', 'completed'])
  const inputs = Array.from({ length: 12 }, (_, index) => ({
    ...{ kind: 'ordered' as const, input: String(index), options: { group: index % 2 === 0 ? 'even' : 'odd' } },
  }))
  const handles = await runtime.enqueueMany(inputs)
  const results = await Promise.all(handles.map((handle) => handle.result()))
  expect(results).toEqual(inputs.map(({ input, options: { group } }) => `${group} ${input}`))
  for (const half of [0, 1]) {
    const ids = handles.filter((_, index) => index % 2 === half).map(({ id }) => id)
    const told = events.all.filter(({ jobId }) => ids.some((id) => id === jobId)).map(({ name, jobId }) => `${name} ${jobId}`)
    expect(told).toEqual(ids.flatMap((id) => [`started ${id}`, `completed ${id}`]))
  }
  expect(await runtime.check()).toEqual([])
})

test('a rate spreads jobs in time', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, options)
  const handles = await runtime.enqueueMany(Array.from({ length: 3 }, () => ({ kind: 'rated' as const })))
  await Promise.all(handles.map((handle) => handle.result()))
  const claimed = await Promise.all(handles.map(async ({ id }) => (await runtime.get(id))?.claimedAt ?? 0))
  const times = claimed.toSorted((a, b) => a - b)
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(150)
  expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(150)
})

test('a paused queue waits through a restart, tells why, and goes on when it is resumed', async () => {
  using scratch = new Scratch()
  const paused = { target: { queue: 'default' }, until: null, reason: 'maintenance' }
  {
    await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, options)
    await runtime.pause({ queue: 'default' }, { reason: 'maintenance' })
    expect(await runtime.paused()).toEqual([paused])
  }
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, options)
  const handle = await runtime.enqueue('free')
  expect(await (await runtime.enqueue('free', undefined, { queue: 'other' })).result()).toBe('free')
  expect(await runtime.get(handle.id)).toMatchObject({ state: 'ready', attempt: 0 })
  expect(await runtime.paused()).toEqual([paused])
  await runtime.resume({ queue: 'default' })
  expect(await handle.result()).toBe('free')
})

test('a pause ends by itself at its time', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, options)
  const until = Date.now() + 200
  await runtime.pause({ kind: 'free' }, { until: new Date(until) })
  const handle = await runtime.enqueue('free')
  await handle.result()
  expect((await runtime.get(handle.id))?.claimedAt).toBeGreaterThanOrEqual(until)
  expect(await runtime.paused()).toEqual([])
})

test('a handler that backs off holds back its queue, not others, and its own job is not charged', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { ...options, threads: 1 })
  const until = Date.now() + 300
  const first = await runtime.enqueue('backsOff', { until }, { queue: 'mail' })
  const second = await runtime.enqueue('free', undefined, { queue: 'mail', delay: 1 })
  expect(await first.result()).toBe('done')
  await second.result()
  expect((await runtime.get(second.id))?.claimedAt).toBeGreaterThanOrEqual(until)
  expect(await runtime.get(first.id)).toMatchObject({ attempt: 1 })
})

test('a kind whose resource nothing declares fails the start by name', async () => {
  using scratch = new Scratch()
  const error = await rejection(openRuntime<typeof jobs>(scratch, jobsUrl, { threads: 1 }))
  expect(error).toMatchObject({ code: 'REEVE_OPTION_INVALID' })
  expect(error.message).toMatch(/'gpu.resource' is 'gpu'; accepted: a resource of createRuntime/)
})
