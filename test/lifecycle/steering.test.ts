/** Steering by hand, through a real runtime: the dead-letter office and the history. */
import { expect, test } from 'vitest'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)
const once = { retry: { attemptsMax: 1 } } as const

test('a dead letter is retried with another input, and its history tells of both lives', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const handle = await runtime.enqueue('succeedsAt', { attempt: 2 }, once)
  expect(await rejection(handle.result())).toMatchObject({ code: 'REEVE_JOB_DISCARDED' })
  expect(await runtime.retry(handle.id, { input: { attempt: 1 } })).toEqual({ count: 1 })
  expect(await handle.result()).toBe(1)
  const history = await runtime.attempts(handle.id)
  expect(history.map(({ attempt, token, outcome }) => [attempt, token, outcome])).toEqual([
    [1, 1, 'fail'],
    [1, 1, 'retry'],
    [1, 2, 'complete'],
  ])
  const [failed, , completed] = history
  expect(failed).toMatchObject({ error: { name: 'RangeError', code: 'E_EARLY' }, owner: expect.any(String) })
  for (const entry of [failed, completed]) {
    expect(entry?.threadId).toBeGreaterThan(0)
    expect(entry?.durationMs).toBeGreaterThanOrEqual(0)
    expect(entry?.startedAt).toBeGreaterThanOrEqual((entry?.claimedAt ?? Number.POSITIVE_INFINITY) - 1)
  }
  expect(await runtime.check()).toEqual([])
})

test('all dead letters, or those that a filter means, are retried in one call', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const many = Array.from({ length: 450 }, () => ({ kind: 'succeedsAt', input: { attempt: 2 }, options: once }) as const)
  const handles = await runtime.enqueueMany(many)
  await Promise.all(handles.map(({ result }, index) => rejection(result.call(handles[index]))))
  expect(await runtime.retry({ kinds: ['echo'] })).toEqual({ count: 0 })
  expect(await runtime.retry({ errorCode: 'E_EARLY' }, { limit: 3, attemptsMax: 2, delay: '1h' })).toEqual({ count: 3 })
  expect(await runtime.retry('all', { input: { attempt: 1 } })).toEqual({ count: 447 })
  for (const handle of handles.slice(3)) expect(await handle.result()).toBe(1)
  expect(await runtime.get(handles[0]?.id ?? '')).toMatchObject({ state: 'ready', attempt: 0, attemptsMax: 2 })
})

test('a parked job waits until it is reopened; a waiting one can be discarded, and whoever waits is told why', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const [parked, other] = await runtime.enqueueMany([
    { kind: 'echo', input: 1, options: { delay: '1h' } },
    { kind: 'echo', input: 2, options: { delay: '1h' } },
  ])
  expect(await runtime.park([parked.id, other.id])).toEqual({ count: 2 })
  expect(await runtime.reopen(parked.id)).toEqual({ count: 1 })
  expect(await runtime.get(parked.id)).toMatchObject({ state: 'ready' })
  const waiting = rejection(other.result())
  expect(await runtime.discard({ states: ['parked'] }, { reason: 'nobody wants it' })).toEqual({ count: 1 })
  expect(await waiting).toMatchObject({
    code: 'REEVE_JOB_DISCARDED',
    cause: { code: 'REEVE_DISCARD_REQUESTED', message: expect.stringContaining('nobody wants it') },
  })
  expect(events.namesOf(other.id)).toEqual(['discarded'])
})

test('a deleted job is gone, and whoever waits for it is told so', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const handle = await runtime.enqueue('echo', 1, { delay: '1h' })
  const waiting = rejection(handle.result())
  expect(await runtime.delete('all')).toEqual({ count: 1 })
  expect(await waiting).toMatchObject({ code: 'REEVE_JOB_NOT_FOUND', jobId: handle.id })
  expect(await runtime.get(handle.id)).toBeNull()
})

test('what cannot be done to the one job that is named is an error that says what to do', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('politeLoop', undefined)
  const { id } = handle
  await events.of('progress', id)
  expect(await rejection(runtime.delete(id))).toMatchObject({
    code: 'REEVE_JOB_STATE',
    jobId: id,
    kind: 'politeLoop',
    message: `Job ${id} (politeLoop) is running: a running job cannot be deleted; cancel it first.`,
  })
  expect(await rejection(runtime.retry(id))).toMatchObject({ code: 'REEVE_JOB_STATE' })
  expect(await runtime.delete([id])).toEqual({ count: 0 })
  expect(await rejection(runtime.park('no-such-job'))).toMatchObject({ code: 'REEVE_JOB_NOT_FOUND' })
  expect(await rejection(runtime.attempts('no-such-job'))).toMatchObject({ code: 'REEVE_JOB_NOT_FOUND' })
  await handle.cancel()
})

test.each([
  ['an empty filter, which would mean everything', {}, {}],
  ['a misspelt field', { kind: 'echo' }, {}],
  ['a misspelt option', 'all', { limits: 3 }],
  ['a limit of nothing', 'all', { limit: 0 }],
])('%s is refused before anything is done', async (_, target, options) => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  expect(await rejection(runtime.delete(target as never, options as never))).toMatchObject({ code: 'REEVE_OPTION_INVALID' })
})
