import { expect, test } from 'vitest'
import type { ClaimCommand } from '../../../src/persistence/commands/claim.ts'
import type { Store } from '../../../src/persistence/store.ts'
import { ask, claim, claimOne, declareLimits, enqueue, newJob, ownerId, settle, start } from '../../support/store/commands.ts'
import { openStore, plainConnection } from '../../support/store/scratch.ts'

const names = async (store: Store, given: Partial<ClaimCommand> = {}) => (await ask(store, claim(given))).jobs.map(({ id }) => id)
const many = (count: number, given = {}) => Array.from({ length: count }, (_, index) => newJob(`j${index}`, given))
const rateOf = (slots: number, windowMs: number) => declareLimits({ scope: 'kind', name: 'resize', rate: { slots, windowMs } })

test('a rate lets n begin in any window, tells when the next may, and holds over all connections', async () => {
  const store = openStore()
  const other = openStore({ database: store.file })
  await ask(store, rateOf(2, 100))
  await ask(store, enqueue(...many(9), newJob('free', { kind: 'send', runAt: start + 1 })))
  expect(await names(store, { limit: 1 })).toEqual(['j0'])
  expect(await ask(other, claim({ now: start + 60 }))).toMatchObject({
    jobs: [{ id: 'j1' }, { id: 'free' }],
    nextRunAt: start + 100,
  })
  expect(await names(store, { now: start + 99 })).toEqual([])
  expect(await ask(store, claim({ now: start + 100 }))).toMatchObject({ jobs: [{ id: 'j2' }], nextRunAt: start + 160 })
})

test('a claim that is given back does not give its time back', async () => {
  const store = openStore()
  await ask(store, rateOf(1, 100))
  await ask(store, enqueue(...many(2)))
  const { lease } = await claimOne(store)
  await ask(store, settle(lease, { type: 'interrupted' }, start + 1))
  expect(await ask(store, claim({ now: start + 2 }))).toMatchObject({ jobs: [], nextRunAt: start + 100 })
})

test('the rate of each group holds back that group only', async () => {
  const store = openStore()
  await ask(store, declareLimits({ scope: 'queue', name: 'default', groupRate: { slots: 1, windowMs: 100 } }))
  await ask(store, enqueue(...many(3, { group: 'a' }), newJob('b0', { group: 'b' }), newJob('b1', { group: 'b' }), newJob('p')))
  expect(await ask(store, claim())).toMatchObject({ jobs: [{ id: 'p' }, { id: 'j0' }, { id: 'b0' }], nextRunAt: start + 100 })
  expect(await names(store, { now: start + 100 })).toEqual(['j1', 'b1'])
})

test('a rate that becomes smaller or larger keeps what it remembers', async () => {
  const store = openStore()
  await ask(store, rateOf(3, 100))
  await ask(store, enqueue(...many(9)))
  for (const at of [0, 10, 20]) await names(store, { limit: 1, now: start + at })
  await ask(store, rateOf(1, 100))
  expect(await ask(store, claim({ now: start + 30 }))).toMatchObject({ jobs: [], nextRunAt: start + 120 })
  await ask(store, rateOf(2, 100))
  expect(await names(store, { now: start + 40 })).toEqual(['j3'])
  await ask(store, declareLimits())
  expect(await names(store, { now: start + 41, limit: 2 })).toEqual(['j4', 'j5'])
})

test('a clock that is set back by hours holds a rate up for one window at most', async () => {
  const store = openStore()
  const later = start + 3 * 60 * 60_000
  await ask(store, rateOf(1, 100))
  await ask(store, enqueue(...many(3)))
  expect(await names(store, { now: later })).toEqual(['j0'])
  expect(await ask(store, claim())).toMatchObject({ jobs: [], nextRunAt: start + 100 })
  expect(await names(store, { now: start + 100 })).toEqual(['j1'])
})

test('the rings of groups that are long gone go too', async () => {
  const store = openStore()
  await ask(store, declareLimits({ scope: 'queue', name: 'default', groupRate: { slots: 1, windowMs: 100 } }))
  for (let index = 0; index < 30; index++) {
    const now = start + index * 100_000
    await ask(store, enqueue(newJob(`g${index}`, { group: `g${index}` })))
    await names(store, { now })
  }
  expect(plainConnection(store.file).prepare('SELECT count(*) FROM reeve_rates').pluck().get()).toBeLessThan(4)
})

test('what a handler asked to be held back is held back, for that long, also where its job is cancelled', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a'), newJob('b', { kind: 'send' }), newJob('m', { queue: 'mail' })))
  const { lease } = await claimOne(store)
  await ask(store, { type: 'cancel', now: start, jobId: lease.jobId })
  const backOff = settle(lease, { type: 'snooze', delayMs: 0, block: { scope: 'queue', delayMs: 70 } })
  expect(await ask(store, backOff)).toMatchObject({ state: 'cancelled' })
  expect(await ask(store, claim())).toMatchObject({ jobs: [{ id: 'm' }], nextRunAt: start + 70 })
  expect(await store.pauses(start)).toMatchObject([{ target: { queue: 'default' }, until: start + 70 }])
  expect(await names(store, { now: start + 70 })).toEqual(['b'])
  expect(await store.pauses(start + 70)).toEqual([])
})

test('a repeated settle holds nothing back again', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a', { group: 'a' })))
  const { lease } = await claimOne(store)
  const release = settle(lease, { type: 'snooze', delayMs: 0, block: { scope: 'group', delayMs: 70 } })
  await ask(store, release)
  await ask(store, { ...release, now: start + 50 }, true)
  expect(await names(store, { now: start + 70, owner: ownerId('bob') })).toEqual(['a'])
})
