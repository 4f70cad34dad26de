import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { EventLog } from '../support/runtime/event-log.ts'
import { openGate } from '../support/runtime/gate.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)

test('a call enqueues and resolves with what the handler returned', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  expect(await runtime.call('echo', { at: new Date(7) }, { queue: 'mail' })).toEqual({ at: new Date(7) })
  expect(await runtime.call('where', undefined, { queue: 'mail' })).toMatchObject({ queue: 'mail' })
})

test('a call throws what its job came to', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const error = await rejection(runtime.call('succeedsAt', { attempt: 2 }, { retry: { attemptsMax: 1 } }))
  expect(error).toMatchObject({ code: 'REEVE_JOB_DISCARDED', cause: { code: 'E_EARLY' } })
})

test('a call that ends early names its job, and another runtime takes the wait up again', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  await using other = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const events = new EventLog(runtime)
  const gate = randomUUID()
  const stop = new AbortController()
  const call = rejection(runtime.call('gated', { gate }, { wait: { signal: stop.signal } }))
  await events.first(({ name }) => name === 'progress')
  stop.abort()
  const { code, jobId = '' } = await call
  expect(code).toBe('REEVE_WAIT_ABORTED')
  const handle = await other.handle<'gated'>(jobId)
  openGate(gate)
  expect(await handle.result()).toBe('through')
})

test('a call bounds its wait by wait.timeout and its handler by timeout', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const waited = await rejection(runtime.call('echo', 1, { delay: '1h', wait: { timeout: 10 } }))
  expect(waited.code).toBe('REEVE_RESULT_TIMEOUT')
  const ran = await rejection(runtime.call('never', undefined, { timeout: 10 }))
  expect(ran).toMatchObject({ code: 'REEVE_JOB_DISCARDED', cause: { code: 'REEVE_ATTEMPT_TIMED_OUT' } })
})
