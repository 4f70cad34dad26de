import { expect, test } from 'vitest'
import type { Lease } from '../../../src/job/lease.ts'
import type { Settlement } from '../../../src/job/outcome.ts'
import type { ClaimCommand } from '../../../src/persistence/commands/claim.ts'
import type { CloseBreakerCommand } from '../../../src/persistence/commands/close-breaker.ts'
import type { SettleAnswer } from '../../../src/persistence/commands/settle.ts'
import type { Store } from '../../../src/persistence/store.ts'
import {
  ask,
  cancel,
  claim,
  claimOne,
  complete,
  discard,
  enqueue,
  fail,
  interrupted,
  newJob,
  ownerId,
  reclaim,
  settle,
  snooze,
  start,
} from '../../support/store/commands.ts'
import { openStore } from '../../support/store/scratch.ts'

const breaker = { kind: 'send', failures: 2, cooldownMs: 100, cooldownMaxMs: 150 }
const heeding = { breakers: ['send'] }
const names = async (store: Store, given: Partial<ClaimCommand> = {}) =>
  (await ask(store, claim({ ...heeding, ...given }))).jobs.map(({ id }) => id)

const end = async (store: Store, of: Lease, settlement: Settlement, now = start): Promise<SettleAnswer> =>
  ask(store, { ...settle(of, settlement, now), breaker })
const breakerOf = async (store: Store, now = start) => (await store.breakers(now))[0]

/** A store with jobs `a` to `f` of the kind, of which two have failed. */
async function openBroken() {
  const store = openStore()
  await ask(store, enqueue(...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => newJob(name, { kind: 'send' }))))
  const early = await claimOne(store, heeding)
  for (const until of [undefined, start + 100]) {
    const { lease } = await claimOne(store, heeding)
    const told = until === undefined ? {} : { breaker: { type: 'opened', until } }
    const answer = await end(store, lease, fail(10_000))
    expect(answer).toEqual({ type: 'settled', state: 'ready', runAt: start + 10_000, ...told })
  }
  return { store, early: early.lease }
}

test('after so many failures in a row nothing of the kind is claimed, by any connection, and it is known until when', async () => {
  const { store } = await openBroken()
  const other = openStore({ database: store.file })
  await ask(store, enqueue(newJob('r')))
  expect(await breakerOf(other)).toEqual({ kind: 'send', state: 'open', failures: 2, until: start + 100 })
  expect(await names(other, { owner: ownerId('bob') })).toEqual(['r'])
  expect(await ask(other, claim({ ...heeding, now: start + 99 }))).toMatchObject({ jobs: [], nextRunAt: start + 100 })
})

test('one that is closed by hand lets all through, and a look that was under way decides nothing any more', async () => {
  const { store, early } = await openBroken()
  const now = start + 100
  const { lease: trial } = await claimOne(store, { ...heeding, now })
  const close: CloseBreakerCommand = { type: 'close-breaker', kind: 'send' }
  expect(await ask(store, close)).toEqual({ type: 'breaker-closed' })
  expect(await ask(store, close, true)).toEqual({ type: 'breaker-closed' })
  expect(await store.breakers(now)).toEqual([])
  expect(await names(store, { now })).toEqual(['e', 'f'])
  // The count has begun anew: the look's failure is one like any other, and it takes a second one.
  expect(await end(store, trial, fail(10_000), now)).not.toHaveProperty('breaker')
  expect(await breakerOf(store, now)).toMatchObject({ state: 'closed', failures: 1 })
  expect(await end(store, early, fail(10_000), now)).toMatchObject({ breaker: { type: 'opened', until: now + 100 } })
})

test('then one job is let through, however many are asked for; its success closes the breaker', async () => {
  const { store } = await openBroken()
  const now = start + 100
  const [trial, ...more] = (await ask(store, claim({ ...heeding, now, ahead: 5 }))).jobs
  expect([trial?.id, more]).toEqual(['d', []])
  expect(await breakerOf(store, now)).toMatchObject({ state: 'half-open' })
  expect(await ask(store, claim({ ...heeding, now }))).toMatchObject({ jobs: [], nextRunAt: null, limited: true })
  const answer = await end(store, { jobId: trial?.id, token: trial?.token } as Lease, complete, now)
  expect(answer).toMatchObject({ state: 'completed', breaker: { type: 'closed' } })
  expect(await names(store, { now })).toEqual(['e', 'f'])
  expect(await store.breakers(now)).toEqual([])
})

test('its failure opens the breaker again, for twice as long, up to the bound', async () => {
  const { store } = await openBroken()
  let now = start
  for (const cooldownMs of [150, 150]) {
    now = (await breakerOf(store))?.until ?? 0
    const { lease } = await claimOne(store, { ...heeding, now })
    const until = now + cooldownMs
    expect(await end(store, lease, fail(10_000), now)).toMatchObject({ breaker: { type: 'opened', until } })
    expect(await ask(store, claim({ ...heeding, now }))).toMatchObject({ jobs: [], nextRunAt: until })
  }
})

test.each([
  ['a success', complete],
  ['a failure', fail(10_000)],
])('%s of what began before it opened changes nothing', async (_, settlement) => {
  const { store, early } = await openBroken()
  const { lease } = await claimOne(store, { ...heeding, now: start + 100 })
  expect(await end(store, early, settlement, start + 100)).not.toHaveProperty('breaker')
  expect(await names(store, { now: start + 100 })).toEqual([])
  expect(await end(store, lease, complete, start + 100)).toHaveProperty('breaker')
})

test.each([
  ['is snoozed', (store: Store, lease: Lease) => end(store, lease, snooze(10_000), start + 100)],
  ['is discarded', (store: Store, lease: Lease) => end(store, lease, discard, start + 100)],
  ['is handed back', (store: Store, lease: Lease) => end(store, lease, interrupted, start + 100)],
  [
    'is cancelled as it fails',
    async (store: Store, lease: Lease) => {
      await ask(store, cancel(lease.jobId, start + 100))
      return end(store, lease, fail(), start + 100)
    },
  ],
  ['dies with its process', (store: Store) => ask(store, reclaim('ann', start + 100))],
])('where the job that was let through %s, another one is', async (_, ends) => {
  const { store } = await openBroken()
  const { lease } = await claimOne(store, { ...heeding, now: start + 100 })
  await ends(store, lease)
  expect(await breakerOf(store, start + 100)).toMatchObject({ state: 'half-open', failures: 2 })
  expect(await names(store, { now: start + 100, owner: ownerId('bob') })).toHaveLength(1)
})

test('a repeated settle and a repeated claim count once', async () => {
  const store = openStore()
  await ask(store, enqueue(...['a', 'b', 'c', 'd'].map((name) => newJob(name, { kind: 'send' }))))
  const { lease } = await claimOne(store, heeding)
  for (let time = 0; time < 3; time++) await end(store, lease, fail(10_000))
  expect(await breakerOf(store)).toMatchObject({ state: 'closed', failures: 1 })
  await end(store, (await claimOne(store, heeding)).lease, fail(10_000))
  const command = claim({ ...heeding, now: start + 100 })
  const first = await ask(store, command)
  expect(await ask(store, command, true)).toEqual(first)
  expect(first.jobs).toHaveLength(1)
})

test('a claimer without the breaker does not heed it, and a kind that never fails has none on record', async () => {
  const { store, early } = await openBroken()
  expect(await names(store, { breakers: [], limit: 1 })).toEqual(['d'])
  const other = openStore()
  await ask(other, enqueue(newJob('a', { kind: 'send' })))
  await end(other, (await claimOne(other, heeding)).lease, complete)
  expect(await other.breakers(start)).toEqual([])
  expect(early.token).toBe(1)
})

test('a clock that is set back makes no cooldown longer', async () => {
  const { store } = await openBroken()
  const now = start - 60_000
  await ask(store, enqueue(newJob('now', { kind: 'send', runAt: now })))
  expect(await ask(store, claim({ ...heeding, now }))).toMatchObject({ jobs: [], nextRunAt: now + 100 })
  expect(await names(store, { now: now + 100 })).toEqual(['now'])
})
