/** How a handler says what becomes of its job, and how its kind says when to try again. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { NonRetryableError } from '../../src/index.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/outcomes.ts'

const jobsUrl = new URL('./jobs/outcomes.ts', import.meta.url)

test('a snoozed job runs again after its delay, as often as it likes, on its one attempt', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('snoozes', { file: scratch.file('runs'), times: 4, delay: 20 })
  expect(await handle.result()).toEqual({ runs: 5, attempt: 1 })
  expect(events.namesOf(handle.id).filter((name) => name === 'snoozed')).toHaveLength(4)
  const history = await runtime.attempts(handle.id)
  expect(history.map(({ outcome }) => outcome)).toEqual(['snooze', 'snooze', 'snooze', 'snooze', 'complete'])
  for (const [index, { endedAt }] of history.slice(0, -1).entries())
    expect(history[index + 1]?.claimedAt).toBeGreaterThanOrEqual((endedAt ?? Number.POSITIVE_INFINITY) + 20)
})

test('a snooze stands, whatever a catch on the way makes of it', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const handle = await runtime.enqueue('snoozesInACatch', { file: scratch.file('runs') })
  expect(await handle.result()).toBe('ran again')
})

test('a snooze within a step is no failure of the step: it is not tried again there, and runs when the job does', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const file = scratch.file('runs')
  const handle = await runtime.enqueue('snoozesWithinAStep', { file })
  expect(await handle.result()).toBe('asked')
  expect(readFileSync(file, 'utf8')).toBe('11')
})

test('a handler that is drained may snooze its job; one that was cancelled is cancelled all the same', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const cancelled = await runtime.enqueue('snoozesWhenStopped', { gate: scratch.file('gate') })
  await events.said(cancelled.id, 'at the gate')
  expect(await cancelled.cancel()).toEqual({ cancelled: true, state: 'cancelled' })
  const drained = await runtime.enqueue('snoozesWhenStopped', { gate: scratch.file('gate') })
  await events.said(drained.id, 'at the gate')
  await runtime.drain({ timeout: 0 })
  const job = await runtime.get(drained.id)
  expect(job).toMatchObject({ state: 'ready', attempt: 0 })
  expect(job?.runAt).toBeGreaterThan((job?.createdAt ?? Number.POSITIVE_INFINITY) + 3_000_000)
})

test('what is no delay fails the attempt, in words', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const error = await rejection((await runtime.enqueue('wrongDelay')).result())
  expect(error).toMatchObject({
    cause: { code: 'REEVE_OPTION_INVALID', message: expect.stringContaining("'snooze(delay)' is 'soon'") },
  })
})

test('a handler that backs off, or releases its group, snoozes its own job uncharged', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  for (const kind of ['backsOff', 'releases'] as const) {
    const { id } = await runtime.enqueue(kind, undefined, { queue: kind })
    await events.of('snoozed', id)
    const job = await runtime.get(id)
    expect(job).toMatchObject({ state: 'ready', attempt: 0 })
    expect(job?.runAt).toBeGreaterThan((job?.createdAt ?? Number.POSITIVE_INFINITY) + 3_500_000)
  }
})

test('a queue whose handler backs off is left alone for as long, and no other one is', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const slow = await runtime.enqueue('backsOff', undefined, { queue: 'slow' })
  await events.of('snoozed', slow.id)
  const held = await runtime.enqueue('discards', undefined, { queue: 'slow', priority: 5 })
  await rejection((await runtime.enqueue('discards', undefined, { queue: 'other' })).result())
  expect(await runtime.get(held.id)).toMatchObject({ state: 'ready', attempt: 0 })
  expect(events.namesOf(held.id)).toEqual([])
})

test('a handler discards its job with a reason, whatever attempts are left', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const handle = await runtime.enqueue('discards')
  expect(await rejection(handle.result())).toMatchObject({
    code: 'REEVE_JOB_DISCARDED',
    attempt: 1,
    cause: { code: 'REEVE_DISCARD_REQUESTED', message: 'The handler discarded the job: nobody lives there' },
  })
  expect(await runtime.attempts(handle.id)).toMatchObject([{ outcome: 'discard' }])
})

test.each(['non-retryable', 'below', 'foreign'] as const)(
  'an error that says that it is final (%s) is not tried again',
  async (what) => {
    using scratch = new Scratch()
    await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
    const error = await rejection((await runtime.enqueue('throws', what)).result())
    expect(error).toMatchObject({ code: 'REEVE_JOB_DISCARDED', attempt: 1, cause: { nonRetryable: true } })
    expect(error.cause).toBeInstanceOf(NonRetryableError)
    expect(await rejection((await runtime.enqueue('throws', 'plain')).result())).toMatchObject({ attempt: 3 })
  },
)

test('a step whose error is final is tried once, and so is its job', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const file = scratch.file('runs')
  expect(await rejection((await runtime.enqueue('stepThrows', { file })).result())).toMatchObject({ attempt: 1 })
  expect(readFileSync(file, 'utf8')).toBe('.')
})

test('listed waits are kept to, and the last one holds for all further ones', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('listed')
  await rejection(handle.result())
  const history = await runtime.attempts(handle.id)
  const retries = events.all.filter(({ name }) => name === 'retrying')
  expect(retries.map(({ runAt }, index) => (runAt ?? 0) - (history[index]?.endedAt ?? 0))).toEqual([10, 30, 30])
})

test("a kind's own functions say whether and when to try again, by the error itself", async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const final = await runtime.enqueue('asks', { code: 'E_FINAL' })
  expect(await rejection(final.result())).toMatchObject({ attempt: 1, cause: { code: 'E_FINAL' } })
  const asked = await runtime.enqueue('asks', {})
  expect(await rejection(asked.result())).toMatchObject({ attempt: 3 })
  const history = await runtime.attempts(asked.id)
  const retries = events.all.filter(({ name }) => name === 'retrying')
  expect(retries.map(({ runAt }, index) => (runAt ?? 0) - (history[index]?.endedAt ?? 0))).toEqual([5, 10])
  const told = await runtime.enqueue('asks', { waits: 3_600_000 })
  await events.of('retrying', told.id)
  expect(await runtime.get(told.id)).toMatchObject({ state: 'ready', attempt: 1 })
})

test('a function that fails is told of, and the job is tried again as by its backoff', async () => {
  using scratch = new Scratch()
  const lines: string[] = []
  const say = (_fields: object, message?: string) => void lines.push(message ?? '')
  const logger = { level: 'error', trace: say, debug: say, info: say, warn: say, error: say, fatal: say }
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { logger })
  const error = await rejection((await runtime.enqueue('asksBadly')).result())
  expect(error).toMatchObject({ attempt: 2, cause: { message: 'the real error' } })
  const told = lines.filter((line) => line.includes("of kind 'asksBadly' failed"))
  expect(told.map((line) => line.split(' ')[0])).toEqual(['shouldRetry', 'retryDelay'])
})

test('an attempt that ends without a word of its handler has the backoff alone', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const error = await rejection((await runtime.enqueue('hangs')).result())
  expect(error).toMatchObject({ attempt: 2, cause: { code: 'REEVE_ATTEMPT_TIMED_OUT' } })
})

test.each([
  [
    { retryDelay: () => 1 },
    "Option 'retry.retryDelay' is a function; accepted: nothing here: a function cannot be stored with a job",
  ],
  [{ backof: '1s' }, "Option 'retry.backof' is '1s'; accepted: no such option; there are attemptsMax, backoff."],
  [{ backoff: [] }, "Option 'retry.backoff' is an array; accepted: a list of 1 to 1000 durations."],
  [{ backoff: ['1s', 'soon'] }, "Option 'retry.backoff[1]' is 'soon'"],
  [{ backoff: 'soon' }, "Option 'retry.backoff' is 'soon'"],
])('an enqueue refuses the retry options %j', async (retry, message) => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const error = await rejection(runtime.enqueue('listed', undefined, { retry: retry as never }))
  expect(error.message).toContain(message)
})
