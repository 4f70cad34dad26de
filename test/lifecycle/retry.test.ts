import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)

test('a failed attempt is tried again after its backoff, never before, until one succeeds', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const file = scratch.file('attempts')
  const handle = await runtime.enqueue('succeedsAt', { attempt: 3, file })
  expect(await handle.result()).toBe(3)
  expect(readFileSync(file, 'utf8')).toBe('attempt 1 of 5\nattempt 2 of 5\nattempt 3 of 5\n')
  const [first, second] = events.all.filter(({ name }) => name === 'retrying')
  const job = await runtime.get(handle.id)
  expect(first).toMatchObject({ attempt: 1, error: { name: 'RangeError', code: 'E_EARLY' } })
  expect(first?.runAt).toBeGreaterThanOrEqual((job?.createdAt ?? Number.POSITIVE_INFINITY) + 20)
  expect(second?.runAt).toBeGreaterThanOrEqual((first?.runAt ?? Number.POSITIVE_INFINITY) + 40)
  expect(job?.claimedAt).toBeGreaterThanOrEqual(second?.runAt ?? Number.POSITIVE_INFINITY)
  expect(job).toMatchObject({ state: 'completed', attempt: 3, attemptsMax: 5, error: { message: 'attempt 2 is too early' } })
})

test('the retry options of an enqueue come before those of its kind', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const retry = { attemptsMax: 2, backoff: { base: '60ms', jitter: 0 } } as const
  const handle = await runtime.enqueue('succeedsAt', { attempt: 9 }, { retry })
  const error = await rejection(handle.result())
  expect(error).toMatchObject({ code: 'REEVE_JOB_DISCARDED', attempt: 2, cause: { message: 'attempt 2 is too early' } })
  expect(events.namesOf(handle.id)).toEqual(['started', 'retrying', 'started', 'discarded'])
  const job = await runtime.get(handle.id)
  const [retrying] = events.all.filter(({ name }) => name === 'retrying')
  expect(retrying?.runAt).toBeGreaterThanOrEqual((job?.createdAt ?? Number.POSITIVE_INFINITY) + 60)
  expect(job).toMatchObject({ state: 'discarded', attempt: 2, attemptsMax: 2, error: { message: 'attempt 2 is too early' } })
})

test('the timeout of an enqueue comes before that of the runtime, and each attempt is charged', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { timeout: '1h' })
  const events = new EventLog(runtime)
  const options = { timeout: '80ms', retry: { attemptsMax: 2, backoff: { base: 1, jitter: 0 } } } as const
  const handle = await runtime.enqueue('never', undefined, options)
  const error = await rejection(handle.result())
  expect(error.cause).toMatchObject({ code: 'REEVE_ATTEMPT_TIMED_OUT', message: expect.stringMatching(/attempt 2 .* 80ms/i) })
  expect(events.namesOf(handle.id)).toEqual(['started', 'progress', 'retrying', 'started', 'progress', 'discarded'])
})

test('the timeout of a runtime holds where neither kind nor enqueue says', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { timeout: 80 })
  const error = await rejection((await runtime.enqueue('never')).result())
  expect(error).toMatchObject({ attempt: 1, cause: { code: 'REEVE_ATTEMPT_TIMED_OUT' } })
})
