import { expect, test } from 'vitest'
import type { JobCriteria } from '../../src/job/job-filter.ts'
import type { SteerAct, SteerAnswer, SteerCommand, SteerCursor } from '../../src/persistence/commands/steer.ts'
import type { Store } from '../../src/persistence/store.ts'
import {
  ask,
  cancel,
  claimOne,
  complete,
  discard,
  enqueue,
  fail,
  jobId,
  newJob,
  reclaim,
  settle,
  start,
} from '../support/store/commands.ts'
import { openStore, plainConnection } from '../support/store/scratch.ts'

let operations = 0
const steer = (act: SteerAct, criteria: JobCriteria, given: Partial<SteerCommand> = {}): SteerCommand => ({
  type: 'steer',
  now: start,
  operation: `operation-${++operations}`,
  page: 0,
  act,
  criteria,
  cursor: null,
  room: 200,
  ...given,
})
const retry: SteerAct = { type: 'retry', runAt: start, attemptsMax: null }
const dead: JobCriteria = { states: ['discarded'] }

async function bury(store: Store, ...names: string[]): Promise<void> {
  await ask(store, enqueue(...names.map((name) => newJob(name))))
  for (const _ of names) await ask(store, settle((await claimOne(store)).lease, discard))
}

test('a dead letter that is retried is ready with all its attempts, and its token goes on', async () => {
  const store = openStore()
  await bury(store, 'a')
  expect(await ask(store, steer(retry, dead))).toEqual({ type: 'steered', jobs: [{ id: 'a', was: 'discarded' }], next: null })
  expect(await store.job(jobId('a'))).toMatchObject({ state: 'ready', attempt: 0, token: 1, error: null, settledAt: null })
  expect(await claimOne(store)).toMatchObject({ attempt: 1, token: 2 })
  expect(await store.violations()).toEqual([])
})

test('the history keeps what a retry clears: the failure, the result of a completed attempt, and the retry itself', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const timings = [{ label: 'reads', startMs: 0.25, durationMs: null }]
  const ran = { threadId: 3, startedAt: start + 1, timings }
  await ask(store, { ...settle((await claimOne(store)).lease, fail(), start + 5), ran })
  await ask(store, { ...settle((await claimOne(store, { now: start + 6 })).lease, complete, start + 9), ran })
  await ask(store, steer(retry, { ids: ['a'] }, { now: start + 10 }))
  const common = { threadId: 3, startedAt: start + 1, timings }
  expect(await store.attempts(jobId('a'))).toMatchObject([
    { ...common, attempt: 1, token: 1, outcome: 'fail', owner: 'ann', endedAt: start + 5, error: { message: 'no' } },
    { ...common, attempt: 2, token: 2, outcome: 'complete', endedAt: start + 9, error: null },
    { attempt: 2, token: 2, outcome: 'retry', endedAt: start + 10, claimedAt: null, timings: [] },
  ])
})

test('an attempt that completed, or runs, is told by its job alone: it costs no row of history', async () => {
  const store = openStore()
  const rows = plainConnection(store.file).prepare('SELECT count(*) FROM reeve_attempts').pluck()
  await ask(store, enqueue(newJob('a')))
  const { lease } = await claimOne(store)
  expect(await store.attempts(jobId('a'))).toMatchObject([{ attempt: 1, outcome: null, owner: 'ann', endedAt: null }])
  await ask(store, { ...settle(lease, complete, start + 7), ran: { threadId: 3, startedAt: start + 2 } })
  expect(await store.attempts(jobId('a'))).toMatchObject([
    { outcome: 'complete', startedAt: start + 2, endedAt: start + 7, threadId: 3 },
  ])
  expect(rows.get()).toBe(0)
  expect(await store.attempts(jobId('nobody'))).toBeNull()
})

test('a history keeps the latest fifty entries', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  for (let count = 0; count < 60; count++) {
    const ran = { threadId: 1, startedAt: start }
    await ask(store, { ...settle((await claimOne(store)).lease, { type: 'snooze', delayMs: 0 }), ran })
  }
  const history = (await store.attempts(jobId('a'))) ?? []
  expect([history.length, history[0]?.token, history.at(-1)?.token]).toEqual([50, 11, 60])
})

test('a cancelled job runs again after an explicit retry, and is not cancelled again by its old request', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const { lease } = await claimOne(store)
  await ask(store, cancel('a'))
  await ask(store, settle(lease, complete))
  expect(await store.job(jobId('a'))).toMatchObject({ state: 'cancelled', cancelRequested: true })
  await ask(store, steer(retry, { ids: ['a'] }))
  expect(await ask(store, settle((await claimOne(store)).lease, complete))).toMatchObject({ state: 'completed' })
})

test('a settle that is repeated after its job was retried answers as the first time', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const command = settle((await claimOne(store)).lease, discard, start + 3)
  const answer = await ask(store, command)
  await ask(store, steer(retry, dead))
  expect(await ask(store, command, true)).toEqual(answer)
  await claimOne(store)
  expect(await ask(store, command, true)).toEqual({ type: 'stale' })
})

test('a job that killed its process alone is a suspect again when it is retried, and its deaths are counted anew', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  await claimOne(store)
  await ask(store, reclaim('ann', start, 1))
  expect(await store.job(jobId('a'))).toMatchObject({ state: 'discarded', crashes: 1, isSuspect: false })
  await ask(store, steer(retry, dead))
  expect(await store.job(jobId('a'))).toMatchObject({ state: 'ready', crashes: 0, isSuspect: true })
})

test.each(['{"small":1}', JSON.stringify('x'.repeat(5_000))])(
  'another input can be given at a retry, short or long',
  async (payload) => {
    const store = openStore()
    await ask(store, enqueue(newJob('a', { input: JSON.stringify('y'.repeat(5_000)) }), newJob('b')))
    for (const _ of 'ab') await ask(store, settle((await claimOne(store)).lease, discard))
    await ask(store, steer({ type: 'retry', runAt: start + 50, attemptsMax: 7, input: { payload } }, dead))
    for (const name of ['a', 'b'])
      expect(await store.job(jobId(name))).toMatchObject({ input: payload, attemptsMax: 7, runAt: start + 50, state: 'ready' })
  },
)

test('a parked job is not claimed until it is reopened', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  await ask(store, steer({ type: 'park' }, { kinds: ['resize'] }))
  await expect(claimOne(store)).rejects.toThrow('no job was due')
  await ask(store, steer({ type: 'reopen' }, { states: ['parked'] }))
  expect(await claimOne(store)).toMatchObject({ id: 'a' })
})

test('a running job is neither deleted nor discarded, parked or retried', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  await claimOne(store)
  const error = { name: 'ReeveError', message: 'enough' }
  for (const act of [{ type: 'delete' }, { type: 'discard', error }, { type: 'park' }, retry] as const)
    expect(await ask(store, steer(act, { ids: ['a'] }))).toMatchObject({ jobs: [] })
  expect(await store.job(jobId('a'))).toMatchObject({ state: 'running' })
})

test('what is deleted takes its history and its long input with it', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a', { input: JSON.stringify('x'.repeat(5_000)) }), newJob('b')))
  await ask(store, settle((await claimOne(store)).lease, discard))
  expect(await ask(store, steer({ type: 'delete' }, { ids: ['a'] }))).toMatchObject({ jobs: [{ id: 'a', was: 'discarded' }] })
  expect(await store.job(jobId('a'))).toBeNull()
  const db = plainConnection(store.file)
  for (const table of ['reeve_attempts', 'reeve_inputs'])
    expect(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0)
  expect(await store.violations()).toEqual([])
})

test('a page that is repeated does nothing and answers the same, a delete included', async () => {
  const store = openStore()
  await bury(store, 'a', 'b', 'c')
  const command = steer({ type: 'delete' }, dead, { room: 2 })
  const first = await ask(store, command)
  expect(first).toMatchObject({ jobs: [{ id: 'a' }, { id: 'b' }] })
  expect(await ask(store, command, true)).toEqual(first)
  expect(await store.job(jobId('c'))).not.toBeNull()
})

test.each<JobCriteria>([dead, { kinds: ['resize'] }])(
  'pages reach every job that was there at the first one, and look at none twice',
  async (criteria) => {
    const store = openStore()
    const names = Array.from({ length: 2_500 }, (_, index) => `job-${index}`)
    await ask(store, enqueue(...names.map((name) => newJob(name))))
    plainConnection(store.file).exec("UPDATE reeve_jobs SET state = 'discarded', settled_at = 1")
    const seen: string[] = []
    let cursor: SteerCursor | null = null
    do {
      const page: SteerAnswer = await ask(store, steer(retry, criteria, { cursor, room: 300 }))
      seen.push(...page.jobs.map(({ id }) => id))
      cursor = page.next
      // Each comes back at once as a dead letter, as a job whose input is broken does.
      plainConnection(store.file).exec("UPDATE reeve_jobs SET state = 'discarded', settled_at = 1 WHERE state = 'ready'")
    } while (cursor !== null)
    expect(seen).toEqual(names)
  },
)

test('a page looks at a bounded number of rows, whatever the filter finds', async () => {
  const store = openStore()
  await ask(store, enqueue(...Array.from({ length: 1_500 }, (_, index) => newJob(`job-${index}`))))
  const page = await ask(store, steer({ type: 'park' }, { kinds: ['nothing'] }))
  expect(page).toMatchObject({ jobs: [], next: { after: expect.any(Number) } })
  expect(await ask(store, steer({ type: 'park' }, { kinds: ['nothing'] }, { cursor: page.next }))).toMatchObject({ next: null })
})
