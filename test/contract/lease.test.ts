import { expect, test } from 'vitest'
import {
  ask,
  claimOne,
  complete,
  enqueue,
  fail,
  jobId,
  lease,
  newJob,
  ownerId,
  progress,
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
