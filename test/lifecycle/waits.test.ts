import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { JobHandle, Runtime } from '../../src/index.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { openGate } from '../support/runtime/gate.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)
const scratch = new Scratch()
let runtime: Runtime<typeof jobs>
let events: EventLog
let gate: string
let handle: JobHandle<string>
beforeAll(async () => {
  runtime = await openRuntime(scratch, jobsUrl)
  events = new EventLog(runtime)
})
afterAll(async () => {
  await runtime.close()
  scratch[Symbol.dispose]()
})
beforeEach(async () => {
  gate = randomUUID()
  handle = await runtime.enqueue('gated', { gate })
  await events.said(handle.id, 'at the gate')
})

/** The job goes on as if nobody had waited. */
async function goesOn(): Promise<void> {
  expect(await runtime.get(handle.id)).toMatchObject({ state: 'running', attempt: 1, cancelRequested: false })
  openGate(gate)
  expect(await handle.result()).toBe('through')
}

test('a wait that runs out says so, and leaves the job running', async () => {
  const error = await rejection(handle.result({ timeout: 30 }))
  expect(error).toMatchObject({ code: 'REEVE_RESULT_TIMEOUT', jobId: handle.id, kind: 'gated' })
  expect(error.message).toMatch(/30 ms.*goes on/)
  await goesOn()
})

test('a wait that is aborted says so with the reason, and leaves the job running', async () => {
  const controller = new AbortController()
  const wait = rejection(handle.result({ signal: controller.signal }))
  controller.abort(new Error('the user left'))
  expect(await wait).toMatchObject({ code: 'REEVE_WAIT_ABORTED', jobId: handle.id, cause: { message: 'the user left' } })
  await goesOn()
})

test('a wait with a signal that is aborted already does not begin', async () => {
  expect(await rejection(handle.result({ signal: AbortSignal.abort('no') }))).toMatchObject({ code: 'REEVE_WAIT_ABORTED' })
  await goesOn()
})

test('a wait that is given up does not end the waits of others', async () => {
  const patient = handle.result({ timeout: '1m', signal: new AbortController().signal })
  await rejection(handle.result({ timeout: 1 }))
  openGate(gate)
  expect(await patient).toBe('through')
})

test('a wrong timeout of a wait is refused by name', async () => {
  expect(await rejection(handle.result({ timeout: '1 fortnight' as '1s' }))).toMatchObject({
    code: 'REEVE_OPTION_INVALID',
    message: expect.stringMatching(/'timeout' is '1 fortnight'; accepted: milliseconds/),
  })
  await goesOn()
})
