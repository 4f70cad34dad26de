import { writeFileSync } from 'node:fs'
import inspector from 'node:inspector'
import { expect, test } from 'vitest'
import type { ReeveError } from '../../../src/index.ts'
import { EventLog } from '../../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../../support/runtime/open-runtime.ts'
import { SupervisorThreads } from '../../support/runtime/supervisor-threads.ts'
import type jobs from './jobs/hangs.ts'

const jobsUrl = new URL('./jobs/hangs.ts', import.meta.url)

async function causeOf(result: Promise<unknown>): Promise<ReeveError> {
  return (await rejection(result)).cause as ReeveError
}

test('the error of a timeout says in which function and line the handler hung, and its stack is the handler’s', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { inspectHangs: '5s' })
  const error = await causeOf((await runtime.enqueue('loops')).result())
  expect(error).toMatchObject({ code: 'REEVE_ATTEMPT_TIMED_OUT' })
  expect(error.message).toMatch(/in innerLoop \(hangs\.ts:\d+\)/)
  expect(error.stack).toMatch(/at innerLoop \(.*hangs\.ts:\d+:\d+\)[\s\S]*at run \(.*hangs\.ts:\d+:\d+\)/)
  expect(await (await runtime.enqueue('nothing')).result()).toBe(true)
})

test('with inspectHangs: false nobody looks, and the error says nothing of a place', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { inspectHangs: false })
  const error = await causeOf((await runtime.enqueue('loops')).result())
  expect(error).toMatchObject({ code: 'REEVE_ATTEMPT_TIMED_OUT' })
  expect(error.message).not.toContain('innerLoop')
  expect(error.message).not.toContain('native code')
})

test('a thread in native code is condemned and replaced; its job stays running until it exits, and is then tried again', async () => {
  using scratch = new Scratch()
  const gate = scratch.file('gate')
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { killWait: '200ms' })
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('blocks', { gate })
  await events.of('condemned', handle.id)
  expect(await runtime.get(handle.id)).toMatchObject({ state: 'running', attempt: 1 })
  // The one thread is lost to the native call; another one runs this.
  expect(await (await runtime.enqueue('nothing')).result()).toBe(true)
  expect(await runtime.load()).toMatchObject({ condemned: 1 })
  writeFileSync(gate, '')
  expect(await handle.result()).toBe(2)
  expect((await events.of('retrying', handle.id)).error?.message).toContain('in native code')
  expect(await runtime.load()).toMatchObject({ condemned: 0, threads: 1 })
})

test('past condemnedMax nothing more is claimed and the runtime says so; it goes on when a thread exits at last', async () => {
  using scratch = new Scratch()
  const gate = scratch.file('gate')
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { threads: 2, killWait: '200ms', condemnedMax: 0 })
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('blocks', { gate })
  expect(await events.first(({ name }) => name === 'error')).toMatchObject({ error: { code: 'REEVE_THREADS_CONDEMNED' } })
  const waiting = await runtime.enqueue('nothing')
  await runtime.counts()
  expect(await runtime.get(waiting.id)).toMatchObject({ state: 'ready', attempt: 0 })
  writeFileSync(gate, '')
  expect(await waiting.result()).toBe(true)
  expect(await handle.result()).toBe(2)
})

test('a close does not wait for a condemned thread, and leaves its job to it', async () => {
  using scratch = new Scratch()
  const gate = scratch.file('gate')
  const runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { killWait: '200ms', stopGrace: 0 })
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('blocks', { gate })
  await events.of('condemned', handle.id)
  await runtime.close({ timeout: 0 })
  const next = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  // The thread lives, so its owner does: nobody takes the job.
  expect(await next.get(handle.id)).toMatchObject({ state: 'running', attempt: 1 })
  writeFileSync(gate, '')
  await next.close()
})

test('a supervisor thread that is hung is noticed, ended and started again, and what it ran is run again', async () => {
  using scratch = new Scratch()
  using supervisors = new SupervisorThreads()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { watchdog: '1s' })
  const events = new EventLog(runtime)
  using _hang = hangThread(supervisors.started.at(-1)?.threadId)
  const counts = rejection(runtime.counts())
  expect(await events.first(({ name }) => name === 'error')).toMatchObject({
    error: { code: 'REEVE_SUPERVISOR_DIED', message: expect.stringContaining('deaf') },
  })
  expect(await counts).toMatchObject({ code: 'REEVE_SUPERVISOR_DIED' })
  await events.first(({ name }) => name === 'restarted')
  expect(await (await runtime.enqueue('nothing')).result()).toBe(true)
})

/** Makes a thread run a loop without an end, in the middle of whatever it does. */
function hangThread(threadId: number | undefined): Disposable {
  const session = new inspector.Session()
  session.connect()
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
    if (!workerInfo.title.startsWith(`[worker ${threadId}]`)) return
    const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: 'for (;;) {}' } })
    session.post('NodeWorker.sendMessageToWorker', { sessionId, message })
  })
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  return { [Symbol.dispose]: () => session.disconnect() }
}
