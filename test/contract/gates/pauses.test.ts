import { expect, test } from 'vitest'
import type { PauseTarget } from '../../../src/job/pause.ts'
import type { ClaimCommand } from '../../../src/persistence/commands/claim.ts'
import type { Store } from '../../../src/persistence/store.ts'
import {
  ask,
  claim,
  claimOne,
  complete,
  enqueue,
  newJob,
  ownerId,
  pause,
  reclaim,
  resume,
  settle,
  start,
} from '../../support/store/commands.ts'
import { openStore } from '../../support/store/scratch.ts'

const names = async (store: Store, given: Partial<ClaimCommand> = {}) => (await ask(store, claim(given))).jobs.map(({ id }) => id)
const jobs = [newJob('a', { group: 'g' }), newJob('b', { queue: 'mail' }), newJob('c', { kind: 'send' })]

test.each<[PauseTarget, string[]]>([
  [{ queue: 'default' }, ['b']],
  [{ kind: 'send' }, ['b', 'a']],
  [{ queue: 'default', group: 'g' }, ['b', 'c']],
  [{ queue: 'mail', group: 'g' }, ['b', 'a', 'c']],
])('a pause of %o holds back what is of it, for every connection, until it is resumed', async (target, open) => {
  const store = openStore()
  await ask(store, pause(target))
  await ask(store, enqueue(...jobs))
  const answer = await ask(openStore({ database: store.file }), claim())
  expect(answer.jobs.map(({ id }) => id).toSorted()).toEqual(open.toSorted())
  expect(answer).toMatchObject({ nextRunAt: null, limited: false })
  expect(await store.pauses(start)).toEqual([{ target, until: null, reason: null }])
  await ask(store, resume(target))
  expect((await names(store)).length).toBe(3 - open.length)
  expect(await store.pauses(start)).toEqual([])
})

test('a pause with an end is told of by its end, and is over then', async () => {
  const store = openStore()
  await ask(store, enqueue(...jobs))
  await ask(store, pause({ queue: 'default' }, start + 50))
  await ask(store, pause({ queue: 'mail' }, start + 90))
  expect(await ask(store, claim())).toMatchObject({ jobs: [], nextRunAt: start + 50 })
  expect(await ask(store, claim({ now: start + 50 }))).toMatchObject({ jobs: [{ id: 'c' }, { id: 'a' }], nextRunAt: start + 90 })
})

test('what runs goes on, and settles as ever', async () => {
  const store = openStore()
  await ask(store, enqueue(...jobs))
  const { lease } = await claimOne(store)
  await ask(store, pause({ queue: 'default' }))
  expect(await ask(store, settle(lease, complete))).toMatchObject({ state: 'completed' })
})

test('a group that comes while it is paused waits, and pausing it again changes the end', async () => {
  const store = openStore()
  const group = { queue: 'default', group: 'new' }
  await ask(store, pause(group))
  await ask(store, pause(group, start + 30))
  await ask(store, enqueue(newJob('n', { group: 'new' })))
  expect(await ask(store, claim())).toMatchObject({ jobs: [], nextRunAt: start + 30 })
  expect(await names(store, { now: start + 30 })).toEqual(['n'])
})

test('a hold back that a handler asked for makes no pause shorter', async () => {
  const store = openStore()
  await ask(store, enqueue(...jobs))
  const { lease } = await claimOne(store, { queues: ['default'] })
  await ask(store, pause({ queue: 'default' }))
  await ask(store, settle(lease, { type: 'snooze', delayMs: 0, block: { scope: 'queue', delayMs: 5 } }))
  expect(await names(store, { now: start + 10, queues: ['default'] })).toEqual([])
})

test('a suspect that is paused keeps nobody waiting, and runs when it is resumed', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('s', { group: 'g' })))
  await claimOne(store, { owner: ownerId('dead') })
  await ask(store, reclaim('dead'))
  await ask(store, pause({ queue: 'default', group: 'g' }, start + 40))
  await ask(store, enqueue(newJob('free')))
  expect(await ask(store, claim({ alone: true }))).toMatchObject({
    jobs: [{ id: 'free' }],
    suspectsDue: false,
    nextRunAt: start + 40,
  })
  expect(await names(store, { alone: true, now: start + 40 })).toEqual(['s'])
})

test('a clock that is set back makes a hold back no longer than it was asked for, and leaves a named end as it is', async () => {
  const store = openStore()
  const later = start + 3 * 60 * 60_000
  await ask(store, enqueue(newJob('a'), newJob('b', { queue: 'mail' })))
  const { lease } = await claimOne(store, { queues: ['default'], now: later })
  await ask(store, settle(lease, { type: 'snooze', delayMs: -later, block: { scope: 'queue', delayMs: 50 } }, later))
  await ask(store, pause({ queue: 'mail' }, later))
  expect(await ask(store, claim())).toMatchObject({ jobs: [], nextRunAt: start + 50 })
  expect(await ask(store, claim({ now: start + 50 }))).toMatchObject({ jobs: [{ id: 'a' }], nextRunAt: later })
})
