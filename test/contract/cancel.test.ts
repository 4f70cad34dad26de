import { expect, test } from 'vitest'
import {
  ask,
  cancel,
  claimOne,
  complete,
  enqueue,
  fail,
  jobId,
  newJob,
  ownerId,
  reclaim,
  settle,
  start,
} from '../support/store/commands.ts'
import { openStore } from '../support/store/scratch.ts'

test('a waiting job is cancelled at once', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a', { runAt: start + 1_000 })))
  expect(await ask(store, cancel('a'))).toEqual({ type: 'cancelled' })
  expect(await store.job(jobId('a'))).toMatchObject({ state: 'cancelled', settledAt: start, cancelRequested: false })
})

test('a running job is only asked: its owner is named, and it stays running', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const held = await claimOne(store)
  const asked = { type: 'cancel-requested', owner: 'ann', token: held.token }
  expect(await ask(store, cancel('a'))).toEqual(asked)
  expect(await ask(store, cancel('a'))).toEqual(asked)
  expect(await store.job(jobId('a'))).toMatchObject({ state: 'running', cancelRequested: true })
  expect(await store.cancelRequests(ownerId('ann'))).toEqual([held.lease])
  expect(await store.cancelRequests(ownerId('bob'))).toEqual([])
})

test('a job that is over stays as it is, and its state is told', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), newJob('b')))
  await ask(store, settle((await claimOne(store)).lease, complete))
  await ask(store, cancel('b'))
  expect(await ask(store, cancel('a'))).toEqual({ type: 'already-over', state: 'completed' })
  expect(await ask(store, cancel('b'))).toEqual({ type: 'already-over', state: 'cancelled' })
  expect(await ask(store, cancel('c'))).toEqual({ type: 'not-found' })
})

test('a repeated cancel of a job that waited says again that it cancelled it', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const command = cancel('a')
  await ask(store, command)
  expect(await ask(store, command, true)).toEqual({ type: 'cancelled' })
})

test('a repeated cancel does not take credit for the settle or the reclaim that ended the job', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), newJob('b'), newJob('c')))
  const over = { type: 'already-over', state: 'cancelled' }
  await ask(store, settle((await claimOne(store)).lease, { type: 'cancel' }))
  expect(await ask(store, cancel('a'), true)).toEqual(over)
  const { lease } = await claimOne(store)
  await store.commit([cancel('b'), settle(lease, fail())])
  expect(await ask(store, cancel('b'), true)).toEqual(over)
  await claimOne(store)
  await store.commit([cancel('c'), reclaim('ann')])
  expect(await ask(store, cancel('c'), true)).toEqual(over)
})
