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
  expect(await ask(store, cancel('b', start + 1))).toEqual({ type: 'already-over', state: 'cancelled' })
  expect(await ask(store, cancel('c'))).toEqual({ type: 'not-found' })
})

test('a repeated cancel says that it cancelled, one that came too late says so again', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), newJob('b')))
  const command = cancel('b')
  await ask(store, command)
  expect(await ask(store, command, true)).toEqual({ type: 'cancelled' })
  const { lease } = await claimOne(store)
  await ask(store, cancel('a'))
  await ask(store, settle(lease, fail(), start))
  expect(await ask(store, cancel('a', start), true)).toEqual({ type: 'already-over', state: 'cancelled' })
})
