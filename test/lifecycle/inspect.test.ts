import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { EventLog } from '../support/runtime/event-log.ts'
import { openGate } from '../support/runtime/gate.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)

test('a job can be looked at while it waits, runs and is over', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const gate = randomUUID()
  const begun = Date.now()
  const handle = await runtime.enqueue('gated', { gate }, { priority: 3, queue: 'images', delay: 50, retry: { attemptsMax: 4 } })
  expect(await runtime.get(handle.id)).toEqual({
    id: handle.id,
    kind: 'gated',
    queue: 'images',
    group: null,
    uniqueKey: null,
    parent: null,
    root: null,
    correlationId: null,
    tick: null,
    state: 'ready',
    priority: 3,
    runAt: expect.any(Number),
    attempt: 0,
    attemptsMax: 4,
    crashes: 0,
    crashLog: [],
    isSuspect: false,
    cancelRequested: false,
    progress: { fraction: null, note: null },
    input: { gate },
    result: undefined,
    error: null,
    createdAt: expect.toSatisfy((at: number) => at >= begun && at <= Date.now()),
    claimedAt: null,
    settledAt: null,
  })
  await events.said(handle.id, 'at the gate')
  expect(await runtime.get(handle.id)).toMatchObject({
    state: 'running',
    attempt: 1,
    claimedAt: expect.any(Number),
    settledAt: null,
  })
  expect(await runtime.load()).toEqual({ running: 1, held: 0, threads: 1, condemned: 0 })
  openGate(gate)
  await handle.result()
  const over = await runtime.get(handle.id)
  expect(over).toMatchObject({ state: 'completed', result: 'through', error: null, settledAt: expect.any(Number) })
  expect(over?.settledAt).toBeGreaterThanOrEqual(over?.claimedAt ?? Number.POSITIVE_INFINITY)
  expect(await runtime.load()).toEqual({ running: 0, held: 0, threads: 1, condemned: 0 })
})

test('the jobs of each state are counted', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const none = { ready: 0, running: 0, suspended: 0, parked: 0, completed: 0, cancelled: 0, discarded: 0 }
  expect(await runtime.counts()).toEqual(none)
  await (await runtime.enqueue('nothing')).result()
  await rejection((await runtime.enqueue('succeedsAt', { attempt: 2 }, { retry: { attemptsMax: 1 } })).result())
  await runtime.enqueueMany([1, 2, 3].map((input) => ({ kind: 'echo' as const, input, options: { delay: '1h' as const } })))
  await (await runtime.enqueue('nothing', undefined, { delay: '1h' })).cancel()
  const gate = randomUUID()
  const gated = await runtime.enqueue('gated', { gate })
  await events.said(gated.id, 'at the gate')
  expect(await runtime.counts()).toEqual({ ...none, ready: 3, running: 1, completed: 1, cancelled: 1, discarded: 1 })
  openGate(gate)
  await gated.result()
  expect(await runtime.counts()).toEqual({ ...none, ready: 3, completed: 2, cancelled: 1, discarded: 1 })
})
