import { expect, test } from 'vitest'
import type { Lease } from '../../src/job/lease.ts'
import type { Settlement } from '../../src/job/outcome.ts'
import type { Store } from '../../src/persistence/store.ts'
import {
  ask,
  cancel,
  claimOne,
  complete,
  discard,
  enqueue,
  fail,
  interrupted,
  jobId,
  lease,
  newJob,
  reclaim,
  settle,
  snooze,
  start,
} from '../support/store/commands.ts'
import { openStore } from '../support/store/scratch.ts'

/** A store with one running job, 'a'. */
async function running(attemptsMax: number | null = null): Promise<{ store: Store; held: Lease }> {
  const store = openStore()
  await ask(store, enqueue(newJob('a', { attemptsMax })))
  return { store, held: (await claimOne(store)).lease }
}

test('a completed job has its result and nothing of its lease', async () => {
  const { store, held } = await running()
  expect(await ask(store, settle(held, complete, start + 5))).toEqual({ type: 'settled', state: 'completed', runAt: start + 5 })
  expect(await store.job(jobId('a'))).toMatchObject({
    state: 'completed',
    result: '{"path":"a.png"}',
    settledAt: start + 5,
    owner: null,
    leaseExpiresAt: null,
    attempt: 1,
  })
})

test('a failed attempt is retried after its delay and keeps its error', async () => {
  const { store, held } = await running()
  expect(await ask(store, settle(held, fail(500), start + 5))).toEqual({ type: 'settled', state: 'ready', runAt: start + 505 })
  expect(await store.job(jobId('a'))).toMatchObject({ attempt: 1, runAt: start + 505, error: { message: 'no' }, settledAt: null })
})

test('the last attempt that fails makes a dead letter', async () => {
  const { store, held } = await running(1)
  expect(await ask(store, settle(held, fail(500)))).toMatchObject({ state: 'discarded' })
  expect(await store.job(jobId('a'))).toMatchObject({ state: 'discarded', error: { message: 'no' }, settledAt: start })
})

test('a discard is final with attempts left', async () => {
  const { store, held } = await running()
  expect(await ask(store, settle(held, discard))).toMatchObject({ state: 'discarded' })
})

test('a snooze and an interruption give the attempt back', async () => {
  const { store, held } = await running(1)
  expect(await ask(store, settle(held, snooze(30)))).toMatchObject({ state: 'ready', runAt: start + 30 })
  expect(await store.job(jobId('a'))).toMatchObject({ attempt: 0 })
  const again = await claimOne(store, { now: start + 30 })
  expect(again).toMatchObject({ attempt: 1, token: 2 })
  expect(await ask(store, settle(again.lease, interrupted, start + 31))).toMatchObject({ state: 'ready', runAt: start + 30 })
  expect(await store.job(jobId('a'))).toMatchObject({ attempt: 0 })
})

test('an interrupted job is due at once although the clock went back', async () => {
  const { store, held } = await running()
  await ask(store, settle(held, interrupted, start - 60_000))
  expect(await claimOne(store, { now: start - 60_000 })).toMatchObject({ id: 'a' })
})

test.each<[string, Settlement]>([
  ['complete', complete],
  ['fail', fail()],
  ['discard', discard],
  ['snooze', snooze(5)],
  ['interrupted', interrupted],
  ['cancel', { type: 'cancel' }],
])('a cancel request that committed wins over %s', async (_, settlement) => {
  const { store, held } = await running()
  await ask(store, cancel('a'))
  expect(await ask(store, settle(held, settlement))).toMatchObject({ type: 'settled', state: 'cancelled' })
  expect(await store.job(jobId('a'))).toMatchObject({ state: 'cancelled', result: null, cancelRequested: true })
})

test.each<[string, Settlement]>([
  ['complete', complete],
  ['fail', fail(7)],
  ['snooze', snooze(5)],
  ['interrupted', interrupted],
  ['discard', discard],
])('%s repeated answers as the first time, also after the next claim', async (_, settlement) => {
  const { store, held } = await running()
  const command = settle(held, settlement)
  const first = await ask(store, command)
  expect(await ask(store, command, true)).toEqual(first)
  if (first.type === 'settled' && first.state === 'ready') await claimOne(store, { now: start + 100 })
  const before = await store.job(jobId('a'))
  expect(await ask(store, command, true)).toEqual(first)
  expect(await store.job(jobId('a'))).toEqual(before)
})

test('a stale settle changes nothing', async () => {
  const { store, held } = await running()
  await ask(store, settle(held, fail()))
  await claimOne(store)
  await ask(store, settle(lease('a', 2), snooze(0)))
  await claimOne(store)
  const before = await store.job(jobId('a'))
  for (const token of [0, 1, 4]) expect(await ask(store, settle(lease('a', token), complete))).toEqual({ type: 'stale' })
  expect(await ask(store, settle(lease('nobody', 1), complete))).toEqual({ type: 'stale' })
  expect(await store.job(jobId('a'))).toEqual(before)
})

test('after a reclaim the late settle of the dead is stale', async () => {
  const { store, held } = await running()
  await ask(store, reclaim('ann'))
  expect(await ask(store, settle(held, complete))).toEqual({ type: 'stale' })
  expect(await store.job(jobId('a'))).toMatchObject({ state: 'ready' })
})
