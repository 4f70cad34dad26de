import { expect, test } from 'vitest'
import type { ClaimCommand } from '../../../src/persistence/commands/claim.ts'
import type { Store } from '../../../src/persistence/store.ts'
import {
  ask,
  claim,
  claimOne,
  complete,
  declareLimits,
  enqueue,
  fail,
  jobId,
  newJob,
  ownerId,
  reclaim,
  settle,
  start,
} from '../../support/store/commands.ts'
import { openStore, plainConnection } from '../../support/store/scratch.ts'

const names = async (store: Store, given: Partial<ClaimCommand> = {}) => (await ask(store, claim(given))).jobs.map(({ id }) => id)
const send = { kind: 'send' }

test('a limit of a kind holds over all connections, and a settle makes room', async () => {
  const store = openStore()
  const other = openStore({ database: store.file })
  await ask(store, declareLimits({ scope: 'kind', name: 'send', concurrency: 2 }))
  await ask(store, enqueue(newJob('a', send), newJob('b', send), newJob('c', send), newJob('d')))
  const { lease } = await claimOne(store, { owner: ownerId('bob') })
  expect(await names(other, { limit: 3 })).toEqual(['b', 'd'])
  expect(await ask(other, claim())).toMatchObject({ jobs: [], nextRunAt: null, limited: true })
  await ask(store, settle(lease, fail(5_000)))
  expect(await names(other)).toEqual(['c'])
})

test('a limit of a queue counts all its kinds', async () => {
  const store = openStore()
  await ask(store, declareLimits({ scope: 'queue', name: 'mail', concurrency: 1 }))
  await ask(store, enqueue(newJob('a', { queue: 'mail' }), newJob('b', { ...send, queue: 'mail' }), newJob('c')))
  expect(await names(store)).toEqual(['a', 'c'])
})

test('kinds of one resource share its capacity', async () => {
  const store = openStore()
  const gpu = { scope: 'resource', name: 'gpu', concurrency: 1 } as const
  const uses = { scope: 'kind', resource: 'gpu' } as const
  await ask(store, declareLimits(gpu, { ...uses, name: 'send' }, { ...uses, name: 'resize' }))
  await ask(store, enqueue(newJob('a'), newJob('b', send), newJob('c', { kind: 'other' })))
  expect(await names(store)).toEqual(['a', 'c'])
})

test('a local limit counts the jobs of its own owner only', async () => {
  const store = openStore()
  const localLimits = [{ kinds: ['send'], queue: null, limit: 1 }]
  await ask(store, enqueue(newJob('a', send), newJob('b', send), newJob('c', send)))
  expect(await names(store, { localLimits })).toEqual(['a'])
  expect(await names(store, { localLimits, owner: ownerId('bob') })).toEqual(['b'])
  expect(await ask(store, claim({ localLimits }))).toMatchObject({ jobs: [], limited: true })
})

test('of a group an owner holds no more than it wants to; others, and the rest of the group, are left as they are', async () => {
  const store = openStore()
  const jobs = ['a', 'b'].flatMap((group) => [1, 2, 3].map((place) => newJob(`${group}${place}`, { group })))
  await ask(store, enqueue(...jobs, newJob('far', { group: 'a', runAt: start + 500 })))
  expect(await names(store, { groupMax: 1 })).toEqual(['a1', 'b1'])
  expect(await ask(store, claim({ groupMax: 1 }))).toMatchObject({ jobs: [], nextRunAt: null, limited: true })
  expect(await names(store, { groupMax: 2, limit: 1 })).toEqual(['a2'])
  expect(await names(store, { groupMax: 2 })).toEqual(['b2'])
  expect(await names(store, { groupMax: 1, owner: ownerId('bob') })).toEqual(['a3', 'b3'])
})

test('an exclusive group runs one job at a time, in order, and blocks nobody else', async () => {
  const store = openStore()
  await ask(store, declareLimits({ scope: 'kind', name: 'resize', groupConcurrency: 1 }))
  const jobs = Array.from({ length: 30 }, (_, index) => newJob(`a${index}`, { group: 'a' }))
  await ask(store, enqueue(...jobs, newJob('b0', { group: 'b' }), newJob('b1', { group: 'b' }), newJob('p')))
  const { jobs: first } = await ask(store, claim())
  expect(first.map(({ id }) => id)).toEqual(['p', 'a0', 'b0'])
  expect(await ask(store, claim())).toMatchObject({ jobs: [], limited: true, nextRunAt: null })
  for (const { id, token } of first) await ask(store, settle({ jobId: id, token }, complete))
  expect(await names(store)).toEqual(['a1', 'b1'])
})

test.each([
  ['a settle', async (store: Store) => void (await ask(store, reclaimNobody))],
  ['a reclaim', async (store: Store) => void (await ask(store, reclaim('ann')))],
])('a group that was full has room again after %s', async (by, end) => {
  const store = openStore()
  await ask(store, declareLimits({ scope: 'queue', name: 'default', groupConcurrency: 1 }))
  await ask(store, enqueue(newJob('a', { group: 'a' }), newJob('b', { group: 'a' })))
  const { lease } = await claimOne(store)
  expect(await names(store)).toEqual([])
  if (by === 'a settle') await ask(store, settle(lease, complete))
  await end(store)
  expect(await names(store, { owner: ownerId('bob'), limit: 1 })).toEqual(['b'])
})
const reclaimNobody = reclaim('nobody')

test('the same group name in another queue is another group', async () => {
  const store = openStore()
  await ask(store, declareLimits({ scope: 'kind', name: 'resize', groupConcurrency: 1 }))
  await ask(store, enqueue(newJob('a', { group: 'a' }), newJob('b', { group: 'a', queue: 'mail' }), newJob('c', { group: 'a' })))
  expect(await names(store)).toEqual(['a', 'b'])
})

test('a limit that is raised or gone lets in what it held back, and one that is lowered ends nothing', async () => {
  const store = openStore()
  const limit = (groupConcurrency: number) => declareLimits({ scope: 'kind', name: 'resize', groupConcurrency })
  await ask(store, enqueue(...['a', 'b', 'c', 'd'].map((name) => newJob(name, { group: 'a' }))))
  await ask(store, limit(1))
  expect(await names(store)).toEqual(['a'])
  expect(await names(store)).toEqual([])
  await ask(store, limit(2))
  expect(await names(store)).toEqual(['b'])
  await ask(store, limit(1))
  expect(await names(store)).toEqual([])
  expect(await store.violations()).toEqual([])
  await ask(store, declareLimits())
  expect(await names(store)).toEqual(['c', 'd'])
})

test('a limit that has not changed is not written again', async () => {
  const store = openStore()
  const limit = declareLimits({ scope: 'kind', name: 'send', concurrency: 2, rate: { slots: 1, windowMs: 5 } })
  await ask(store, limit)
  await ask(store, { ...limit, now: start + 999 })
  const changedAt = plainConnection(store.file).prepare('SELECT changed_at FROM reeve_limits').pluck().all()
  expect(changedAt).toEqual([start])
})

test('jobs under a limit are not read ahead: what waits for a thread holds nothing', async () => {
  const store = openStore()
  await ask(store, declareLimits({ scope: 'kind', name: 'send', concurrency: 9 }))
  await ask(store, enqueue(newJob('a'), newJob('b'), newJob('c', send), newJob('d')))
  const answer = await ask(store, claim({ limit: 1, ahead: 3 }))
  expect(answer).toMatchObject({ jobs: [{ id: 'a' }, { id: 'b' }], nextRunAt: start })
})

test('a suspect counts in limits, and one that a limit holds back keeps nobody waiting', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('s', { ...send, group: 'a' })))
  await ask(store, declareLimits({ scope: 'kind', name: 'send', concurrency: 1 }))
  await claimOne(store, { owner: ownerId('dead') })
  await ask(store, reclaim('dead'))
  await ask(store, enqueue(newJob('x', send)))
  const held = await claimOne(store, { owner: ownerId('bob') })
  expect(held.id).toBe('x')
  await ask(store, enqueue(newJob('free')))
  expect(await ask(store, claim({ alone: true }))).toMatchObject({ jobs: [{ id: 'free' }], suspectsDue: false, limited: true })
  await ask(store, settle(held.lease, complete))
  expect(await ask(store, claim({ alone: true }))).toMatchObject({ jobs: [{ id: 's', isSuspect: true, group: 'a' }] })
  expect(await store.job(jobId('s'))).toMatchObject({ state: 'running', group: 'a' })
})
