import { expect, test } from 'vitest'
import type { AfterFailed } from '../../src/job/flow.ts'
import type { NewJob } from '../../src/job/new-job.ts'
import { ask, cancel, claimOne, complete, discard, enqueue, jobId, newJob, settle, start } from '../support/store/commands.ts'
import { openStore } from '../support/store/scratch.ts'

const after = (name: string, jobs: readonly string[] | 'batch', ifFailed: AfterFailed = 'discard'): NewJob =>
  newJob(name, { after: { jobs: jobs === 'batch' ? jobs : jobs.map(jobId), ifFailed } })

test('a job runs after all that it waits for, and not before', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), newJob('b'), after('c', ['a', 'b'])))
  const [a, b] = [await claimOne(store), await claimOne(store)]
  await expect(claimOne(store)).rejects.toThrow('no job was due')
  expect(await ask(store, settle(a.lease, complete))).not.toHaveProperty('moved')
  expect(await ask(store, settle(b.lease, complete))).toMatchObject({ moved: [{ id: 'c', state: 'ready' }] })
  expect(await claimOne(store)).toMatchObject({ id: 'c' })
})

test.each([
  ['discard', 'discarded'],
  ['cancel', 'cancelled'],
  ['run', 'ready'],
] as const)('where one of them did not complete, %s makes it %s at once', async (ifFailed, state) => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), after('b', ['a'], ifFailed)))
  await ask(store, settle((await claimOne(store)).lease, discard))
  expect(await store.job(jobId('b'))).toMatchObject({ state })
  // The same where it had failed before.
  await ask(store, enqueue(after('c', ['a'], ifFailed)))
  expect(await store.job(jobId('c'))).toMatchObject({ state })
  if (state !== 'ready') expect((await store.job(jobId('c')))?.error).toMatchObject({ code: 'REEVE_DEPENDENCY_FAILED' })
})

test('a chain of ten thousand jobs ends with its first', async () => {
  const store = openStore()
  const chain = Array.from({ length: 10_000 }, (_, index) => after(`c${index}`, [index === 0 ? 'a' : `c${index - 1}`]))
  await ask(store, enqueue(newJob('a'), ...chain))
  expect(await ask(store, cancel('a'))).toMatchObject({ moved: { length: 10_000 } })
  expect((await store.job(jobId('c9999')))?.state).toBe('discarded')
})

test('a job that waits can be cancelled, and what it waited for ends as ever', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), after('b', ['a'])))
  expect(await ask(store, cancel('b'))).toEqual({ type: 'cancelled' })
  expect(await ask(store, settle((await claimOne(store)).lease, complete))).toMatchObject({ state: 'completed' })
  expect(await store.violations()).toEqual([])
})

test('to wait for a job that is not there refuses the whole command', async () => {
  const store = openStore()
  expect(await ask(store, enqueue(newJob('a'), after('b', ['nobody'])))).toMatchObject({
    refusal: { reason: 'dependency-missing' },
  })
  expect(await store.job(jobId('a'))).toBeNull()
})

test('after a batch comes after all of its jobs', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), newJob('b'), after('done', 'batch')))
  await ask(store, settle((await claimOne(store)).lease, complete))
  expect((await store.job(jobId('done')))?.state).toBe('suspended')
  await ask(store, settle((await claimOne(store)).lease, complete))
  expect((await store.job(jobId('done')))?.state).toBe('ready')
})

test('children come with the settle that completes their parent, with its family and correlation', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a', { correlationId: 'order-1' })))
  const { lease } = await claimOne(store)
  const command = settle(lease, { type: 'complete', result: null, children: [newJob('b'), after('c', ['b'])] })
  await ask(store, command)
  expect(await store.job(jobId('b'))).toMatchObject({ parent: 'a', root: 'a', correlationId: 'order-1', state: 'ready' })
  expect(await store.job(jobId('c'))).toMatchObject({ state: 'suspended' })
  // Repeated after an unknown commit it has no second effect.
  expect(await ask(store, command, true)).toMatchObject({ state: 'completed' })
  const child = await claimOne(store)
  await ask(store, settle(child.lease, { type: 'complete', result: null, children: [newJob('d')] }))
  expect(await store.job(jobId('d'))).toMatchObject({ parent: 'b', root: 'a' })
})

test('a stale settle, and one whose job was cancelled, write no children', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const { lease } = await claimOne(store)
  await ask(store, cancel('a'))
  const withChild = settle(lease, { type: 'complete', result: null, children: [newJob('b')] })
  expect(await ask(store, withChild)).toMatchObject({ state: 'cancelled' })
  expect(await ask(store, settle({ ...lease, token: 9 as never }, withChild.settlement))).toEqual({ type: 'stale' })
  expect(await store.job(jobId('b'))).toBeNull()
})

test('a queue takes no more ready jobs than its bound, and what adds none fits', async () => {
  const store = openStore()
  const bounded = (...jobs: NewJob[]) => ({ ...enqueue(...jobs), depthMax: { default: 2 } })
  await ask(store, bounded(newJob('a'), newJob('b', { group: 'g' })))
  expect(await ask(store, bounded(newJob('c')))).toMatchObject({ refusal: { reason: 'full', queue: 'default', depthMax: 2 } })
  await ask(store, enqueue(newJob('unbounded')))
  expect(await ask(store, bounded(newJob('a')), true)).toEqual({ type: 'enqueued' })
  expect(await ask(store, bounded(newJob('d', { queue: 'mail' })))).toEqual({ type: 'enqueued' })
  for (let count = 0; count < 2; count++) await claimOne(store, { now: start })
  expect(await ask(store, bounded(newJob('c')))).toEqual({ type: 'enqueued' })
})
