import { expect, test } from 'vitest'
import type { ClaimCommand } from '../../src/persistence/commands/claim.ts'
import type { Store } from '../../src/persistence/store.ts'
import {
  ask,
  claim,
  claimOne,
  enqueue,
  fail,
  interrupted,
  jobId,
  newJob,
  ownerId,
  settle,
  start,
} from '../support/store/commands.ts'
import { openStore } from '../support/store/scratch.ts'

const names = async (store: Store, given: Partial<ClaimCommand> = {}) => (await ask(store, claim(given))).jobs.map(({ id }) => id)

test('jobs are claimed by priority, then due time, then insertion', async () => {
  const store = openStore()
  await ask(
    store,
    enqueue(
      newJob('late', { runAt: start - 1 }),
      newJob('early', { runAt: start - 2 }),
      newJob('early too', { runAt: start - 2 }),
      newJob('high', { priority: 9 }),
      newJob('low', { priority: -9, runAt: start - 99 }),
    ),
  )
  expect(await names(store)).toEqual(['high', 'early', 'early too', 'late', 'low'])
})

test('a job is claimed when its time has come and not a millisecond before', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a', { runAt: start + 10 })))
  expect(await ask(store, claim({ now: start + 9 }))).toEqual({
    type: 'claimed',
    jobs: [],
    nextRunAt: start + 10,
    suspectsDue: false,
    limited: false,
  })
  expect(await names(store, { now: start + 10 })).toEqual(['a'])
})

test('scheduled jobs of a high priority do not hide due ones of a low priority', async () => {
  const store = openStore()
  const scheduled = Array.from({ length: 50 }, (_, index) => newJob(`later ${index}`, { priority: 10, runAt: start + 1 + index }))
  await ask(store, enqueue(...scheduled, newJob('due', { priority: -1 })))
  expect(await names(store, { limit: 1 })).toEqual(['due'])
})

test('a claim charges the attempt, takes a new token and fixes the lease', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  await ask(store, claim({ leaseExpiresAt: start + 77 }))
  expect(await store.job(jobId('a'))).toMatchObject({
    state: 'running',
    attempt: 1,
    token: 1,
    owner: 'ann',
    leaseExpiresAt: start + 77,
    claimedAt: start,
  })
})

test('what is claimed is not claimed again, by whichever connection', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  await claimOne(store)
  expect(await names(openStore({ database: store.file }), { owner: ownerId('bob') })).toEqual([])
})

test('a repeated claim gets the same jobs in the same order and charges nothing', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), newJob('b', { priority: 1 }), newJob('c')))
  const command = claim({ limit: 2 })
  const first = await ask(store, command)
  expect(first.jobs.map(({ id }) => id)).toEqual(['b', 'a'])
  expect(await ask(store, command, true)).toEqual(first)
  expect(await store.job(jobId('a'))).toMatchObject({ attempt: 1, token: 1 })
})

test('the same claim number of another owner is another claim', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  expect(await names(store, { claimNumber: 9 })).toEqual(['a'])
  expect(await names(store, { claimNumber: 9, owner: ownerId('bob') })).toEqual([])
})

test('attemptsMax is fixed by the enqueue, else the kind, else the default, and stays', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('own', { attemptsMax: 9 }), newJob('kind'), newJob('default', { kind: '__proto__' })))
  const { jobs } = await ask(store, claim({ attemptsMaxByKind: { resize: 5 }, attemptsMaxDefault: 2 }))
  expect(jobs.map(({ id, attemptsMax }) => [id, attemptsMax])).toEqual([
    ['own', 9],
    ['kind', 5],
    ['default', 2],
  ])
  for (const { id, token } of jobs) await ask(store, settle({ jobId: id, token }, fail()))
  const again = await ask(store, claim({ attemptsMaxByKind: { resize: 1 }, attemptsMaxDefault: 1 }))
  expect(again.jobs.map(({ attemptsMax }) => attemptsMax)).toEqual([9, 5, 2])
})

test('ahead of the idle threads a claim stops at the first job on its last attempt', async () => {
  const store = openStore()
  const last = { attemptsMax: 1 }
  await ask(store, enqueue(newJob('a', last), newJob('b'), newJob('c', last), newJob('d')))
  const answer = await ask(store, claim({ limit: 1, ahead: 3 }))
  expect(answer.jobs.map(({ id }) => id)).toEqual(['a', 'b'])
  expect(answer.nextRunAt).toBeLessThanOrEqual(start)
})

test('nextRunAt is null where all that was asked for was taken, or nothing is left', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), newJob('b', { runAt: start + 5 })))
  expect((await ask(store, claim({ limit: 1 }))).nextRunAt).toBeNull()
  expect((await ask(store, claim({ limit: 1 }))).nextRunAt).toBe(start + 5)
  expect((await ask(store, claim({ limit: 2, now: start + 5 }))).nextRunAt).toBeNull()
})

test('nextRunAt is the earliest of all priorities', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a', { priority: 9, runAt: start + 50 }), newJob('b', { priority: 0, runAt: start + 20 })))
  expect((await ask(store, claim())).nextRunAt).toBe(start + 20)
})

test('a claim of some queues sees only those', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), newJob('b', { queue: 'mail' }), newJob('c', { queue: 'mail', runAt: start + 5 })))
  const answer = await ask(store, claim({ queues: ['mail', 'other'] }))
  expect(answer).toMatchObject({ jobs: [{ id: 'b' }], nextRunAt: start + 5 })
  expect((await ask(store, claim({ queues: ['other'] }))).nextRunAt).toBeNull()
})

test('a claim leaves the excluded queues alone', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), newJob('b', { queue: 'mail', runAt: start + 5 })))
  expect(await ask(store, claim({ queuesExcluded: ['default'] }))).toMatchObject({ jobs: [], nextRunAt: start + 5 })
  expect((await ask(store, claim({ queuesExcluded: ['mail'] }))).nextRunAt).toBeNull()
})

test('a job that was handed back keeps its place, and its next token is a new one', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a', { runAt: start - 9 }), newJob('b')))
  const { lease } = await claimOne(store)
  await ask(store, settle(lease, interrupted))
  expect(await claimOne(store)).toMatchObject({ id: 'a', token: 2, attempt: 1 })
})

test('progress of the last attempt does not stand on the next', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const { lease } = await claimOne(store)
  await store.commit([{ type: 'progress', lease, fraction: 0.5, note: 'half' }, settle(lease, fail())])
  expect(await store.job(jobId('a'))).toMatchObject({ progress: 0.5 })
  await claimOne(store)
  expect(await store.job(jobId('a'))).toMatchObject({ progress: null, progressNote: null })
})
