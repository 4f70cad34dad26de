import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createRuntime } from '../../src/index.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { openGate } from '../support/runtime/gate.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)

test('a drain waits for what runs, and starts nothing more', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const gate = randomUUID()
  const running = await runtime.enqueue('gated', { gate })
  await events.said(running.id, 'at the gate')
  const waiting = await runtime.enqueue('echo', 1)
  let drained = false
  const drain = runtime.drain().then(() => {
    drained = true
  })
  const later = await runtime.enqueue('echo', 2)
  expect(drained).toBe(false)
  openGate(gate)
  await drain
  expect(await running.result()).toBe('through')
  for (const { id } of [waiting, later]) expect(await runtime.get(id)).toMatchObject({ state: 'ready', attempt: 0 })
  expect(await runtime.load()).toMatchObject({ running: 0, held: 0 })
})

test.each(['gated', 'rudeLoop'] as const)(
  'a drain whose time is up interrupts a handler (%s); its job is ready again and not charged',
  async (kind) => {
    using scratch = new Scratch()
    await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
    const events = new EventLog(runtime)
    const handle = await (kind === 'gated' ? runtime.enqueue(kind, { gate: randomUUID() }) : runtime.enqueue(kind))
    await events.first(({ name }) => name === 'progress')
    await runtime.drain({ timeout: 20 })
    expect(await runtime.get(handle.id)).toMatchObject({
      state: 'ready',
      attempt: 0,
      crashes: 0,
      cancelRequested: false,
      error: null,
    })
    await events.of('interrupted', handle.id)
    expect(events.namesOf(handle.id)).toEqual(['started', 'progress', 'interrupted'])
  },
)

test('a handler that returns after the signal of a drain has completed', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('politeLoop')
  await events.said(handle.id, 'looping')
  await runtime.drain({ timeout: 0 })
  expect(await handle.result()).toBe('stopped by itself')
})

test('a close ends waits that are open, keeps the jobs, and can be called again', async () => {
  using scratch = new Scratch()
  const runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const handle = await runtime.enqueue('echo', 'kept', { delay: 1 })
  const far = await runtime.enqueue('echo', 'kept', { delay: '1h' })
  await handle.result()
  const wait = rejection(far.result())
  await Promise.all([runtime.close(), runtime.close()])
  await runtime.close()
  expect(await wait).toMatchObject({ code: 'REEVE_RUNTIME_CLOSED' })
  for (const call of [
    runtime.enqueue('nothing'),
    runtime.enqueueMany([]),
    runtime.get(far.id),
    runtime.counts(),
    runtime.drain(),
    far.cancel(),
    far.result(),
  ])
    expect(await rejection(call)).toMatchObject({ code: 'REEVE_RUNTIME_CLOSED' })
  expect(readdirSync(scratch.folder)).toEqual(['jobs.db'])
  await using again = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  expect(await again.get(far.id)).toMatchObject({ state: 'ready', input: 'kept' })
})

test('a close with running jobs lets them finish within its timeout, and interrupts those that do not', async () => {
  using scratch = new Scratch()
  const runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { threads: 2 })
  const events = new EventLog(runtime)
  const gate = randomUUID()
  const quick = await runtime.enqueue('gated', { gate })
  const stuck = await runtime.enqueue('rudeLoop')
  await events.said(quick.id, 'at the gate')
  await events.said(stuck.id, 'looping')
  const result = quick.result()
  const close = runtime.close({ timeout: 300 })
  openGate(gate)
  await close
  expect(await result).toBe('through')
  await using again = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  expect(await again.get(stuck.id)).toMatchObject({ state: 'ready', attempt: 0, crashes: 0 })
})

test('a runtime that is closed as soon as it is there leaves nothing behind', async () => {
  using scratch = new Scratch()
  const runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const enqueued = runtime.enqueue('echo', 1)
  await Promise.all([runtime.close(), enqueued.catch(() => undefined)])
  expect(readdirSync(scratch.folder)).toEqual(['jobs.db'])
})

test('await using closes the runtime at the end of the block', async () => {
  using scratch = new Scratch()
  let escaped: { counts(): Promise<unknown> }
  {
    await using runtime = await createRuntime<typeof jobs>({ database: scratch.database, jobs: jobsUrl, threads: 1 })
    escaped = runtime
    expect(await (await runtime.enqueue('echo', 5)).result()).toBe(5)
  }
  expect(await rejection(escaped.counts())).toMatchObject({ code: 'REEVE_RUNTIME_CLOSED' })
  expect(readdirSync(scratch.folder)).toEqual(['jobs.db'])
})
