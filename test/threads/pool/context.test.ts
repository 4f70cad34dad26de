import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import type { JobId, LeaseToken } from '../../../src/job/lease.ts'
import { Cells } from '../../../src/threads/cells.ts'
import { makeContext } from '../../../src/threads/worker/context.ts'
import { conclude, hearAnswer, openDesk } from '../../../src/threads/worker/desk.ts'
import { LiveRun } from '../../../src/threads/worker/live-run.ts'

const { port1, port2 } = new MessageChannel()
const cells = new Cells()
const line = { post: (message: unknown) => port2.postMessage(message), cells, cellsAreShared: true }
const settings = { jobsUrl: '', skip: {}, payloadBytesMax: 100, niceness: 0, logLevel: 10, setupMaxMs: 1_000 }
const desk = openDesk(settings, line)
afterEach(() => port2.unref())

const names = { jobId: 'j' as JobId, token: 1 as LeaseToken, kind: 'k', queue: 'q', group: null }
const numbers = { input: null, attempt: 1, attemptsMax: 1, createdAt: 0, tick: null, budget: null, timeoutMs: 100 }

function takeUp(run: number) {
  const live = new LiveRun({ run, ...names, ...numbers }, desk.cells)
  return { live, ctx: makeContext(live, desk, { resource: undefined, env: undefined, sqlite: undefined }) }
}

const heard = () => receiveMessageOnPort(port1)?.message

test('a context is dead once the outcome of its run was sent', () => {
  const { live, ctx } = takeUp(1)
  const { log, progress } = ctx
  progress(0.5)
  expect(heard()).toMatchObject({ type: 'progress', run: 1 })
  conclude(desk, live, { type: 'returned', result: null })
  expect(heard()).toMatchObject({ type: 'outcome', run: 1 })
  progress(1)
  log.fatal('still here')
  conclude(desk, live, { type: 'returned', result: 'again' })
  expect(heard()).toBeUndefined()
})

test('what is timed once the outcome was sent is done, and told to nobody', () => {
  const { live, ctx } = takeUp(6)
  const open = ctx.timing('open')
  expect(heard()).toMatchObject({ type: 'timing', run: 6, word: { timing: 0, label: 'open' } })
  conclude(desk, live, { type: 'returned', result: null })
  expect(heard()).toMatchObject({ type: 'outcome' })
  open.end()
  expect(ctx.timing('late', () => 7)).toBe(7)
  expect(heard()).toBeUndefined()
})

test('a run is not stopped by a request that was meant for another one', () => {
  const { ctx } = takeUp(2)
  cells.requestStop(1, 'cancel')
  expect([ctx.stopRequested, ctx.signal.aborted]).toEqual([false, false])
  cells.requestStop(2, 'cancel')
  cells.requestStop(2, 'timeout')
  expect([ctx.stopRequested, ctx.signal.aborted, ctx.signal.reason.message]).toEqual([
    true,
    true,
    expect.stringContaining('cancelled'),
  ])
})

test('the signal of a run is one and the same each time it is read', () => {
  const { ctx } = takeUp(3)
  expect(ctx.signal).toBe(ctx.signal)
})

test('the time that remains counts from the start of the handler, down to zero', () => {
  const { ctx } = takeUp(4)
  expect(ctx.timeRemaining()).toBe(0)
  desk.cells.stampStart(4)
  expect(ctx.timeRemaining()).toBeGreaterThan(0)
  expect(ctx.timeRemaining()).toBeLessThanOrEqual(100)
})

test('a run that is over can ask nothing', async () => {
  const { live, ctx } = takeUp(5)
  conclude(desk, live, { type: 'returned', result: null })
  await expect(ctx.kv.get('k')).rejects.toMatchObject({ code: 'REEVE_ATTEMPT_STOPPED', jobId: 'j', attempt: 1 })
})

test('what was asked before the end is answered after it', async () => {
  const { live, ctx } = takeUp(6)
  const asked = ctx.kv.set('k', 1)
  conclude(desk, live, { type: 'returned', result: null })
  hearAnswer(desk, { type: 'answered', run: 6, question: 1, answer: { ok: true, value: { type: 'written' } } })
  await asked
  expect(desk.questions.size).toBe(0)
})
