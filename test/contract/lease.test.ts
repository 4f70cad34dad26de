import { expect, test } from 'vitest'
import {
  ask,
  cancel,
  claimOne,
  complete,
  enqueue,
  fail,
  jobId,
  lease,
  newJob,
  ownerId,
  progress,
  reclaim,
  renew,
  settle,
  start,
} from '../support/store/commands.ts'
import { openStore } from '../support/store/scratch.ts'

test('a renewal moves the expiry and nothing else', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const held = await claimOne(store)
  const before = await store.job(jobId('a'))
  expect(await ask(store, renew([held.lease], { leaseExpiresAt: start + 99 }))).toEqual({ type: 'renewed', lost: [] })
  expect(await store.job(jobId('a'))).toEqual({ ...before, leaseExpiresAt: start + 99 })
})

test('a renewal tells which leases are lost: settled, reclaimed, of another owner, unknown', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), newJob('b')))
  const a = await claimOne(store)
  const b = await claimOne(store, { owner: ownerId('bob') })
  await ask(store, settle(a.lease, fail()))
  await claimOne(store)
  const lost = [a.lease, b.lease, lease('c', 1)]
  expect(await ask(store, renew([...lost, lease('a', 2)]))).toEqual({ type: 'renewed', lost })
})

test('progress keeps the last word of each part, under the current token only', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const held = (await claimOne(store)).lease
  expect(await ask(store, progress(held, 0.25, 'begun'))).toEqual({ type: 'progressed', applied: true })
  await ask(store, progress(held, null, 'going on'))
  await ask(store, progress(held, 0.75))
  expect(await store.job(jobId('a'))).toMatchObject({ progress: 0.75, progressNote: 'going on' })
  expect(await ask(store, progress(lease('a', 0), 1))).toEqual({ type: 'progressed', applied: false })
  await ask(store, settle(held, complete))
  expect(await ask(store, progress(held, 1))).toEqual({ type: 'progressed', applied: false })
  expect(await store.job(jobId('a'))).toMatchObject({ progress: 0.75 })
})

test('a reclaim takes back all jobs of one owner and leaves the others', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('again'), newJob('last', { attemptsMax: 1 }), newJob('cancelled'), newJob('of bob')))
  for (const _ of [1, 2, 3]) await claimOne(store)
  await claimOne(store, { owner: ownerId('bob') })
  await ask(store, cancel('cancelled'))
  const answer = await ask(store, reclaim('ann', start + 5))
  expect(answer.jobs).toEqual([
    { id: 'again', kind: 'resize', state: 'ready', attempt: 1 },
    { id: 'last', kind: 'resize', state: 'discarded', attempt: 1 },
    { id: 'cancelled', kind: 'resize', state: 'cancelled', attempt: 1 },
  ])
  expect(await store.job(jobId('again'))).toMatchObject({
    crashes: 1,
    attempt: 1,
    runAt: start,
    error: { code: 'REEVE_ATTEMPT_LOST' },
  })
  expect(await store.job(jobId('last'))).toMatchObject({ crashes: 1, settledAt: start + 5 })
  expect(await store.job(jobId('of bob'))).toMatchObject({ state: 'running', owner: 'bob', crashes: 0 })
})

test('a repeated reclaim lists the same jobs and counts the crash once', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  await claimOne(store)
  const command = reclaim('ann')
  const first = await ask(store, command)
  expect(await ask(store, command, true)).toEqual(first)
  expect(await store.job(jobId('a'))).toMatchObject({ crashes: 1 })
})
