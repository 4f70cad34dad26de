import { expect, test } from 'vitest'
import { stateOf } from '../../support/runtime/audit.ts'
import { EventLog } from '../../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../../support/runtime/open-runtime.ts'
import { SupervisorThreads } from '../../support/runtime/supervisor-threads.ts'
import type jobs from './jobs/faults.ts'

/** Keeps this thread from doing anything else until it is so. */
function waitHere(isSo: () => boolean): void {
  const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  for (const deadline = performance.now() + 20_000; !isSo(); ) {
    if (performance.now() > deadline) throw new Error('waited for 20 s')
    Atomics.wait(cell, 0, 0, 10)
  }
}

const jobsUrl = new URL('./jobs/faults.ts', import.meta.url)

test('when the supervisor thread dies, calls are rejected, waits go on, a new thread takes the jobs back, and they finish', async () => {
  using scratch = new Scratch()
  using supervisors = new SupervisorThreads()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { threads: 2 })
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('hangsOnce')
  const result = handle.result()
  await events.said(handle.id, 'here')
  const drain = rejection(runtime.drain())
  await runtime.counts()
  const enqueues = [1, 2, 3].map((input) => runtime.enqueue('echo', input))
  await supervisors.killLatest()

  expect(await drain).toMatchObject({ code: 'REEVE_SUPERVISOR_DIED', message: expect.stringContaining('is being started again') })
  for (const enqueue of await Promise.allSettled(enqueues)) {
    if (enqueue.status === 'fulfilled') expect(await runtime.get(enqueue.value.id)).not.toBeNull()
    else expect(enqueue.reason).toMatchObject({ code: 'REEVE_SUPERVISOR_DIED', kind: 'echo', jobId: expect.any(String) })
  }
  expect(await events.first(({ name }) => name === 'error')).toMatchObject({ error: { code: 'REEVE_SUPERVISOR_DIED' } })
  await events.first(({ name }) => name === 'restarted')
  expect(await result).toBe(2)
  expect(await runtime.get(handle.id)).toMatchObject({ state: 'completed', attempt: 2, crashes: 1 })
  // The new thread knows which events are listened to.
  await events.of('completed', handle.id)
  expect(supervisors.started).toHaveLength(2)
  expect(await (await runtime.enqueue('echo', 'after')).result()).toBe('after')
})

test('an event of a job that the new thread runs at once is told, however busy the app is when the thread comes up', async () => {
  using scratch = new Scratch()
  using supervisors = new SupervisorThreads()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('hangsOnce')
  await events.said(handle.id, 'here')
  // The app hears nothing from the new thread until its job is over.
  runtime.on('error', () => waitHere(() => stateOf(scratch.database, handle.id) === 'completed'))
  await supervisors.killLatest()
  await events.of('completed', handle.id)
  expect(events.namesOf(handle.id).filter((name) => name !== 'progress')).toEqual(['started', 'started', 'completed'])
})

test('a call made while the thread is being started again waits for the new one', async () => {
  using scratch = new Scratch()
  using supervisors = new SupervisorThreads()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime, ['error', 'restarted'])
  void supervisors.killLatest()
  await events.first(({ name }) => name === 'error')
  const handle = await runtime.enqueue('echo', 'meanwhile')
  expect(await handle.result()).toBe('meanwhile')
  expect(events.all.map(({ name }) => name)).toEqual(['error', 'restarted'])
})

test('a supervisor thread that dies again and again is given up on: everything open is rejected, and a close is clean', async () => {
  using scratch = new Scratch()
  using supervisors = new SupervisorThreads()
  const runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime, ['error', 'restarted'])
  const handle = await runtime.enqueue('resolvesNever')
  const wait = rejection(handle.result())
  supervisors.onStart = (worker) => void worker.terminate()
  await supervisors.killLatest()
  const given = await wait
  expect(given).toMatchObject({
    code: 'REEVE_SUPERVISOR_FAILED',
    message: expect.stringMatching(/died too often.*make a new runtime/),
  })
  const codes = events.all.map(({ name, error }) => error?.code ?? name)
  expect(codes).toEqual([...Array(5).fill('REEVE_SUPERVISOR_DIED'), 'REEVE_SUPERVISOR_FAILED'])
  expect(supervisors.started).toHaveLength(6)
  for (const call of [runtime.enqueue('nothing'), runtime.counts(), runtime.drain(), handle.result(), handle.cancel()])
    expect(await rejection(call)).toMatchObject({ code: 'REEVE_SUPERVISOR_FAILED' })
  await runtime.close()
  supervisors.onStart = undefined
  await using next = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  expect(await next.get(handle.id)).toMatchObject({ state: 'ready', crashes: 1 })
})

test('a close while the thread is being started again ends all the same', async () => {
  using scratch = new Scratch()
  using supervisors = new SupervisorThreads()
  const runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime, ['error'])
  void supervisors.killLatest()
  await events.first(({ name }) => name === 'error')
  const wait = rejection(runtime.handle('nobody'))
  await runtime.close()
  expect((await wait).code).toMatch(/REEVE_(JOB_NOT_FOUND|RUNTIME_CLOSED)/)
  expect(await rejection(runtime.counts())).toMatchObject({ code: 'REEVE_RUNTIME_CLOSED' })
})
