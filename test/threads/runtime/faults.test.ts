import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { KindOf, Runtime } from '../../../src/index.ts'
import { EventLog } from '../../support/runtime/event-log.ts'
import { openGate } from '../../support/runtime/gate.ts'
import { openRuntime, rejection, Scratch } from '../../support/runtime/open-runtime.ts'
import type jobs from './jobs/faults.ts'

const jobsUrl = new URL('./jobs/faults.ts', import.meta.url)
const scratch = new Scratch()
let runtime: Runtime<typeof jobs>
beforeAll(async () => {
  runtime = await openRuntime(scratch, jobsUrl, { threads: 2, memory: { heapMb: 64 } })
})
afterAll(async () => {
  await runtime.close()
  scratch[Symbol.dispose]()
})

/** Two jobs that meet can only run where two threads do. */
async function expectPoolWhole(events: EventLog): Promise<void> {
  const gate = randomUUID()
  const handles = await runtime.enqueueMany([1, 2].map(() => ({ kind: 'gated' as const, input: { gate } })))
  for (const { id } of handles) await events.said(id, 'at the gate')
  expect(await runtime.load()).toEqual({ running: 2, held: 0, threads: 2, condemned: 0 })
  openGate(gate)
  expect(await Promise.all(handles.map((handle) => handle.result()))).toEqual(['through', 'through'])
}

interface Fault {
  readonly what: string
  readonly kind: KindOf<typeof jobs>
  readonly error: object
  readonly input?: unknown
  readonly timeout?: number
}

const timedOut = {
  code: 'REEVE_ATTEMPT_TIMED_OUT',
  message: expect.stringMatching(/ran past its timeout of 150ms.*raise the kind's timeout/),
}
const faults: readonly Fault[] = [
  { what: 'throws null', kind: 'throwsNull', error: { name: 'null', message: 'null' } },
  { what: 'rejects with undefined', kind: 'throwsUndefined', error: { name: 'undefined', message: 'undefined' } },
  { what: 'throws a string', kind: 'throwsString', error: { name: 'string', message: 'no luck' } },
  {
    what: 'throws an object that cannot be cloned',
    kind: 'throwsUncloneable',
    error: { name: 'object', message: expect.stringContaining('odd'), why: 'odd' },
  },
  {
    what: 'throws an Error with a code, a cause and fields of its own',
    kind: 'throwsRich',
    error: {
      name: 'PaymentError',
      message: 'card refused',
      code: 'E_CARD',
      orderId: 7,
      retryable: false,
      cause: expect.objectContaining({ name: 'TypeError', message: 'no digits' }),
      stack: expect.stringContaining('faults.ts'),
    },
  },
  { what: 'rejects late', kind: 'rejects', error: { name: 'RangeError', message: 'later' } },
  {
    what: 'returns what cannot be cloned',
    kind: 'returnsUncloneable',
    error: {
      code: 'REEVE_RESULT_UNCLONEABLE',
      message: expect.stringContaining('user.onSave'),
      kind: 'returnsUncloneable',
      attempt: 1,
    },
  },
  {
    what: 'throws in a timer that nobody awaits',
    kind: 'throwsInTimer',
    error: { code: 'REEVE_HANDLER_UNCAUGHT', message: expect.stringContaining('nobody caught me'), kind: 'throwsInTimer' },
  },
  {
    what: 'calls process.exit(0)',
    kind: 'exits',
    error: { code: 'REEVE_THREAD_EXITED', message: expect.stringMatching(/exit code 0.*process\.exit/) },
  },
  { what: 'never resolves', kind: 'resolvesNever', timeout: 150, error: timedOut },
  { what: 'loops for ever', kind: 'spins', timeout: 150, error: timedOut },
  { what: 'runs a regular expression that does not come back', kind: 'regex', timeout: 150, error: timedOut },
  {
    what: 'fills its heap',
    kind: 'hoards',
    error: { code: 'REEVE_THREAD_OUT_OF_MEMORY', message: expect.stringMatching(/heap grew past the 64 MB of memory\.heapMb/) },
  },
]

test.each(faults)('a handler that $what ends in one outcome with an error that helps, and the pool is whole', async (fault) => {
  const events = new EventLog(runtime)
  const { kind, input, error, timeout } = fault
  const options = { retry: { attemptsMax: 1 }, ...(timeout !== undefined && { timeout }) }
  const handle = await runtime.enqueue(kind, input as never, options)
  const rejected = await rejection(handle.result())
  expect(rejected).toMatchObject({ code: 'REEVE_JOB_DISCARDED', jobId: handle.id, kind, attempt: 1, cause: error })
  await expectPoolWhole(events)
  expect(events.namesOf(handle.id).filter((name) => name !== 'progress')).toEqual(['started', 'discarded'])
  expect(await runtime.get(handle.id)).toMatchObject({ state: 'discarded', attempt: 1, crashes: 0, error })
})

test('a result that cannot be stored is not tried again, however many attempts are left', async () => {
  const handle = await runtime.enqueue('returnsUncloneable', undefined, { retry: { attemptsMax: 5 } })
  expect(await rejection(handle.result())).toMatchObject({ code: 'REEVE_JOB_DISCARDED', attempt: 1 })
})

test('a handler that returned and throws later has completed; the late error is told, and the pool is whole', async () => {
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('throwsAfterReturning')
  await handle.result()
  const { error } = await events.first(({ name }) => name === 'error')
  expect(error).toMatchObject({ code: 'REEVE_HANDLER_UNCAUGHT', message: expect.stringContaining('too late'), jobId: handle.id })
  await expectPoolWhole(events)
  expect(events.namesOf(handle.id)).toEqual(['started', 'completed'])
  expect(await runtime.get(handle.id)).toMatchObject({ state: 'completed', attempt: 1, error: null })
})

test('a job that a neighbour on its thread took down is put back uncharged and runs again', async () => {
  using own = new Scratch()
  await using narrow = await openRuntime<typeof jobs>(own, jobsUrl, { stopGrace: '100ms' })
  const events = new EventLog(narrow)
  const culprit = await narrow.enqueue('throwsWhenAsked')
  await culprit.result()
  const bystander = await narrow.enqueue('asksForThrow')
  const { error } = await events.of('interrupted', bystander.id)
  expect(await events.first(({ name }) => name === 'error')).toMatchObject({ error: { jobId: culprit.id } })
  expect(error ?? null).toBeNull()
  await events.first(({ name, jobId, token }) => name === 'progress' && jobId === bystander.id && (token ?? 0) > 1)
  expect(await narrow.get(bystander.id)).toMatchObject({ state: 'running', attempt: 1 })
  expect(await bystander.cancel()).toMatchObject({ cancelled: true })
})
