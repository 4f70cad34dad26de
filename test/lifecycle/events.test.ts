import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Runtime } from '../../src/index.ts'
import { holdingWriteLock, stateOf } from '../support/runtime/audit.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { openGate } from '../support/runtime/gate.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/reports.ts'

const jobsUrl = new URL('./jobs/reports.ts', import.meta.url)
const scratch = new Scratch()
let runtime: Runtime<typeof jobs>
beforeAll(async () => {
  runtime = await openRuntime(scratch, jobsUrl)
})
afterAll(async () => {
  await runtime.close()
  scratch[Symbol.dispose]()
})

test('a job that completes at its second attempt tells each step in order, with what belongs to it', async () => {
  const events = new EventLog(runtime)
  const { id } = await runtime.enqueue('reports', { failures: 1 }, { queue: 'q' })
  await events.of('completed', id)
  const subject = (attempt: number) => ({ jobId: id, kind: 'reports', queue: 'q', attempt, token: attempt })
  const threadId = expect.any(Number)
  expect(events.all.filter(({ jobId }) => jobId === id)).toEqual([
    { name: 'started', ...subject(1), threadId },
    { name: 'progress', ...subject(1), fraction: 0.25, note: 'a quarter' },
    { name: 'retrying', ...subject(1), error: expect.objectContaining({ message: 'failure 1' }), runAt: expect.any(Number) },
    { name: 'started', ...subject(2), threadId },
    { name: 'progress', ...subject(2), fraction: 0.25, note: 'a quarter' },
    { name: 'progress', ...subject(2), fraction: 1, note: null },
    { name: 'completed', ...subject(2), result: { done: new Date(7) }, durationMs: expect.any(Number) },
  ])
})

test('a job that fails for good tells so last, with its last error', async () => {
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('reports', { failures: 9 })
  await rejection(handle.result())
  expect(await events.of('discarded', handle.id)).toMatchObject({ attempt: 2, error: { message: 'failure 2' } })
  expect(events.namesOf(handle.id).at(-1)).toBe('discarded')
})

test.each([
  ['completed', 0, 'completed'],
  ['discarded', 9, 'discarded'],
  ['retrying', 1, 'ready'],
] as const)('at the event %s the file already says so', async (name, failures, state) => {
  const seen = Promise.withResolvers<unknown>()
  const off = runtime.on(name, ({ jobId }) => seen.resolve(stateOf(scratch.database, jobId)))
  const attemptsMax = name === 'retrying' ? 2 : 1
  await runtime.enqueue('reports', { failures }, { retry: { attemptsMax, backoff: { base: '1h' } } })
  expect(await seen.promise).toBe(state)
  off()
})

test('while the commit of a result has to wait, nobody is told of it', async () => {
  const events = new EventLog(runtime)
  const gate = randomUUID()
  const handle = await runtime.enqueue('leaves', { gate })
  const result = handle.result()
  await events.said(handle.id, 'at the gate')
  await holdingWriteLock(scratch.database, async () => {
    openGate(gate)
    await events.said(handle.id, 'leaving')
    // Each answer is a turn of the supervisor thread, in which it could have told.
    for (let turn = 0; turn < 30; turn++) await runtime.load()
    expect(stateOf(scratch.database, handle.id)).toBe('running')
    expect(events.namesOf(handle.id)).not.toContain('completed')
    expect((await rejection(handle.result({ timeout: 1 }))).code).toBe('REEVE_RESULT_TIMEOUT')
  })
  await result
  await events.of('completed', handle.id)
  expect(stateOf(scratch.database, handle.id)).toBe('completed')
})

test('a listener that was taken off hears nothing more, and the others go on', async () => {
  const heard: string[] = []
  const off = runtime.on('completed', ({ jobId }) => heard.push(jobId))
  const events = new EventLog(runtime, ['completed'])
  const first = await runtime.enqueue('checks')
  await events.of('completed', first.id)
  off()
  off()
  const second = await runtime.enqueue('checks')
  await events.of('completed', second.id)
  expect(heard).toEqual([first.id])
})

test('a listener that throws is an uncaught error of the app, and keeps neither the runtime nor other listeners from going on', async () => {
  const thrown: unknown[] = []
  const onUncaught = (error: unknown) => thrown.push(error)
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', onUncaught)
  try {
    const off = runtime.on('completed', () => {
      throw new Error('of the listener')
    })
    const events = new EventLog(runtime, ['completed'])
    const handle = await runtime.enqueue('checks')
    expect(await handle.result()).toBe(handle.id)
    await events.of('completed', handle.id)
    off()
    expect(await (await runtime.enqueue('checks')).result()).toBeTypeOf('string')
    expect(thrown).toEqual([expect.objectContaining({ message: 'of the listener' })])
  } finally {
    process.off('uncaughtException', onUncaught)
    for (const listener of others) process.on('uncaughtException', listener)
  }
})
