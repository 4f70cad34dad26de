import { expect, test } from 'vitest'
import type { JobRow } from '../../src/persistence/job-row.ts'
import {
  ask,
  cancel,
  claim,
  claimOne,
  complete,
  enqueue,
  fail,
  interrupted,
  jobId,
  newJob,
  ownerId,
  reclaim,
  settle,
  start,
} from '../support/store/commands.ts'
import { openStore } from '../support/store/scratch.ts'

/** Lets one owner after the other die while it holds nothing but the job that is due first. */
async function dieAlone(store: ReturnType<typeof openStore>, deaths: number): Promise<JobRow | null> {
  let id = jobId('')
  for (let death = 1; death <= deaths; death++) {
    id = (await claimOne(store, { alone: true, owner: ownerId(`owner-${death}`) })).id
    await ask(store, reclaim(`owner-${death}`, start + death))
  }
  return store.job(id)
}

test('a reclaim takes back all jobs of one owner and leaves the others', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), newJob('b'), newJob('cancelled'), newJob('of bob')))
  for (const _ of [1, 2, 3]) await claimOne(store)
  await claimOne(store, { owner: ownerId('bob') })
  await ask(store, cancel('cancelled'))
  const answer = await ask(store, reclaim('ann', start + 5))
  expect(answer.jobs.map(({ id, state }) => [id, state])).toEqual([
    ['a', 'ready'],
    ['b', 'ready'],
    ['cancelled', 'cancelled'],
  ])
  expect(await store.job(jobId('of bob'))).toMatchObject({ state: 'running', owner: 'bob', crashes: 0, isSuspect: false })
})

test('a death that several jobs were held at is charged to none of them, not even at a last attempt; each is a suspect', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), newJob('last', { attemptsMax: 1 })))
  await ask(store, claim())
  await ask(store, reclaim('ann', start + 5))
  for (const name of ['a', 'last']) {
    expect(await store.job(jobId(name))).toMatchObject({
      ...{ state: 'ready', attempt: 0, runAt: start, crashes: 1, isSuspect: true, error: { code: 'REEVE_ATTEMPT_LOST' } },
      crashLog: [{ at: start + 5, owner: 'ann', alone: false }],
    })
  }
})

test('a death that a job was held alone at is charged to it, and it is a suspect', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  expect(await dieAlone(store, 1)).toMatchObject({
    ...{ state: 'ready', attempt: 1, crashes: 1, isSuspect: true },
    crashLog: [{ at: start + 1, owner: 'owner-1', alone: true }],
  })
})

test('the last attempt that a death ends makes a dead letter', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a', { attemptsMax: 1 })))
  expect(await dieAlone(store, 1)).toMatchObject({ state: 'discarded', isSuspect: false, error: { code: 'REEVE_ATTEMPT_LOST' } })
})

test('after crashesMax deaths of its own a job is a dead letter that tells the story of each', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('poison', { attemptsMax: 9 }), newJob('neighbour')))
  await ask(store, claim({ owner: ownerId('both') }))
  await ask(store, reclaim('both'))
  const dead = await dieAlone(store, 3)
  expect(dead).toMatchObject({ state: 'discarded', id: 'poison', crashes: 4, error: { code: 'REEVE_JOB_CRASHED' } })
  expect(dead?.error?.message).toMatch(/died 4 times while it held this job, 3 of them while it held nothing else/)
  expect(dead?.error?.message.match(/supervisor (both|owner-\d)\), while (it ran alone|others ran beside it)/g)).toHaveLength(4)
  expect(await store.job(jobId('neighbour'))).toMatchObject({ state: 'ready', attempt: 0, crashes: 1 })
})

test('deaths that a job shared with others never make it a dead letter, and the log keeps the latest twenty', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), newJob('b')))
  for (let death = 1; death <= 25; death++) {
    await ask(store, claim({ owner: ownerId(`owner-${death}`), limit: 1, alone: true }))
    await ask(store, claim({ owner: ownerId(`owner-${death}`), limit: 1, alone: true }))
    await ask(store, reclaim(`owner-${death}`, start + death))
  }
  const row = await store.job(jobId('a'))
  expect(row).toMatchObject({ state: 'ready', attempt: 0, crashes: 25 })
  expect(row?.crashLog.map(({ at }) => at - start)).toEqual(Array.from({ length: 20 }, (_, index) => index + 6))
})

test('a suspect is taken alone or not at all, and first where it may be', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('suspect'), newJob('suspect too')))
  await ask(store, claim())
  await ask(store, reclaim('ann'))
  await ask(store, enqueue(newJob('a', { priority: 9 }), newJob('b')))
  const beside = await ask(store, claim({ owner: ownerId('bob') }))
  expect(beside).toMatchObject({ jobs: [{ id: 'a' }, { id: 'b' }], suspectsDue: true, nextRunAt: null })
  const alone = await ask(store, claim({ owner: ownerId('cid'), alone: true }))
  expect(alone).toMatchObject({ jobs: [{ id: 'suspect', isSuspect: true }], suspectsDue: true })
  expect(await ask(store, claim({ owner: ownerId('dan'), alone: true }))).toMatchObject({
    jobs: [{ id: 'suspect too' }],
    suspectsDue: false,
    limited: false,
  })
})

test('a suspect that is not due yet is told of by its time', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  await dieAlone(store, 1)
  // Its clock was ahead of ours.
  const answer = await ask(store, claim({ now: start - 50 }))
  expect(answer).toEqual({ type: 'claimed', jobs: [], nextRunAt: start, suspectsDue: false, limited: false })
})

test.each([
  ['complete', complete, false],
  ['fail', fail(), false],
  ['interrupted', interrupted, true],
] as const)('after it settles with %s, a suspect is still one: %o', async (_, settlement, isSuspect) => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  await dieAlone(store, 1)
  const { lease } = await claimOne(store, { alone: true })
  await ask(store, settle(lease, settlement))
  expect(await store.job(jobId('a'))).toMatchObject({ isSuspect, crashes: 1 })
})

test('a repeated reclaim lists the same jobs and counts the crash once', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), newJob('b')))
  await ask(store, claim())
  const command = reclaim('ann')
  const first = await ask(store, command)
  expect(await ask(store, command, true)).toEqual(first)
  expect(await store.job(jobId('a'))).toMatchObject({ crashes: 1, attempt: 0, crashLog: [{ owner: 'ann' }] })
})
