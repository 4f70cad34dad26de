import { expect, test } from 'vitest'
import type { ClaimCommand } from '../../../src/persistence/commands/claim.ts'
import type { Store } from '../../../src/persistence/store.ts'
import {
  ask,
  cancel,
  claim,
  claimOne,
  complete,
  enqueue,
  fail,
  newJob,
  ownerId,
  reclaim,
  settle,
  start,
} from '../../support/store/commands.ts'
import { openStore, plainConnection } from '../../support/store/scratch.ts'

const names = async (store: Store, given: Partial<ClaimCommand> = {}) => (await ask(store, claim(given))).jobs.map(({ id }) => id)
const inGroup = (group: string, names: string, given = {}) => names.split(' ').map((name) => newJob(name, { group, ...given }))
const lanes = (file: string) => plainConnection(file).prepare('SELECT count(*) FROM reeve_lanes').pluck().get()

test('groups take turns, and each goes by due time, then insertion', async () => {
  const store = openStore()
  await ask(store, enqueue(...inGroup('a', 'a1 a2 a3'), ...inGroup('b', 'b1 b2'), ...inGroup('c', 'c1')))
  expect(await names(store)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('whose turn it is goes on from claim to claim, whoever claims', async () => {
  const store = openStore()
  const other = openStore({ database: store.file })
  await ask(store, enqueue(...inGroup('a', 'a1 a2 a3'), ...inGroup('b', 'b1 b2 b3')))
  const turns = []
  for (const each of [store, other, store, other, other, store])
    turns.push(...(await names(each, { limit: 1, owner: ownerId('x') })))
  expect(turns).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
})

test('a long backlog of one group delays a newcomer by one job', async () => {
  const store = openStore()
  await ask(store, enqueue(...Array.from({ length: 500 }, (_, index) => newJob(`a${index}`, { group: 'a' }))))
  await names(store, { limit: 20 })
  await ask(store, { ...enqueue(...inGroup('b', 'b1')), now: start + 1 })
  expect(await names(store, { limit: 2, now: start + 1 })).toContain('b1')
})

test('a job that is due long since does not jump the queue of groups when its group is new', async () => {
  const store = openStore()
  await ask(store, enqueue(...inGroup('a', 'a1 a2')))
  await ask(store, { ...enqueue(...inGroup('b', 'b1', { runAt: 0 })), now: start + 1 })
  expect(await names(store, { now: start + 1 })).toEqual(['a1', 'b1', 'a2'])
})

test('jobs of one group stay in order whatever their kinds', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('1', { group: 'a' }), newJob('2', { group: 'a', kind: 'send' }), newJob('3', { group: 'a' })))
  await ask(
    store,
    enqueue(newJob('4', { group: 'a', kind: 'send' }), newJob('0', { group: 'a', kind: 'send', runAt: start - 1 })),
  )
  expect(await names(store)).toEqual(['0', '1', '2', '3', '4'])
})

test('groups and jobs without one alternate, however many there are of either', async () => {
  const store = openStore()
  const groups = Array.from({ length: 50 }, (_, index) => newJob(`g${index}`, { group: `g${index}` }))
  await ask(store, enqueue(...groups, newJob('p1'), newJob('p2'), newJob('p3')))
  expect(await names(store, { limit: 6 })).toEqual(['p1', 'g0', 'p2', 'g1', 'p3', 'g2'])
})

test('priority comes before turns', async () => {
  const store = openStore()
  await ask(
    store,
    enqueue(...inGroup('a', 'a1'), ...inGroup('b', 'b1', { priority: 5 }), newJob('p'), ...inGroup('b', 'b2', { priority: 5 })),
  )
  expect(await names(store)).toEqual(['b1', 'b2', 'p', 'a1'])
})

test('scheduled jobs of a group hide none that is due, and are told of by their time', async () => {
  const store = openStore()
  await ask(store, enqueue(...inGroup('a', 'later', { runAt: start + 50, priority: 9 }), ...inGroup('a', 'now')))
  expect(await ask(store, claim())).toMatchObject({ jobs: [{ id: 'now', group: 'a' }], nextRunAt: start + 50 })
})

test('a repeated claim gives the jobs of the turns in the same order', async () => {
  const store = openStore()
  await ask(store, enqueue(...inGroup('b', 'b1 b2'), ...inGroup('a', 'a1 a2', { runAt: start - 9 })))
  const command = claim({ limit: 3 })
  const first = await ask(store, command)
  expect(await ask(store, command, true)).toEqual(first)
})

test('a lane goes with its last job, however that ended', async () => {
  const store = openStore()
  await ask(store, enqueue(...inGroup('a', 'a1'), ...inGroup('b', 'b1'), ...inGroup('c', 'c1'), ...inGroup('d', 'd1')))
  const [first, second, third] = (await ask(store, claim({ limit: 3 }))).jobs.map(({ id, token }) => ({ jobId: id, token }))
  if (first === undefined || second === undefined || third === undefined) throw new Error('three were due')
  expect(lanes(store.file)).toBe(4)
  await ask(store, settle(first, complete))
  await ask(store, settle(second, fail(10)))
  await ask(store, reclaim('ann'))
  await ask(store, cancel('d1'))
  expect(lanes(store.file)).toBe(2)
  plainConnection(store.file).exec('DELETE FROM reeve_jobs')
  expect(lanes(store.file)).toBe(0)
})

test('a group that was put back keeps its place in the turns', async () => {
  const store = openStore()
  await ask(store, enqueue(...inGroup('a', 'a1 a2'), ...inGroup('b', 'b1')))
  const { lease } = await claimOne(store)
  await ask(store, settle(lease, { type: 'interrupted' }))
  expect(await names(store)).toEqual(['b1', 'a1', 'a2'])
})

test('a clock that is set back by hours holds up no group', async () => {
  const store = openStore()
  const later = start + 3 * 60 * 60_000
  await ask(store, {
    ...enqueue(...inGroup('a', 'a1 a2', { runAt: later }), ...inGroup('b', 'b1', { runAt: later })),
    now: later,
  })
  await names(store, { now: later, limit: 1 })
  await ask(store, enqueue(...inGroup('a', 'a3')))
  expect(await names(store)).toEqual(['a3'])
})
