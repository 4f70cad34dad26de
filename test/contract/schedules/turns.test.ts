import { expect, test } from 'vitest'
import type { SteerAct } from '../../../src/persistence/commands/steer.ts'
import type { Store } from '../../../src/persistence/store.ts'
import { ask, cancel, claimOne, complete, discard, fail, jobId, reclaim, settle } from '../../support/store/commands.ts'
import { dawn, declare, fired, minuteMs, newSchedule } from '../../support/store/schedules.ts'
import { openStore } from '../../support/store/scratch.ts'

const now = dawn + 2 * minuteMs

/** Ways in which the job before comes out of the way, whether it waits or runs. */
const settled = (settlement: Parameters<typeof settle>[1]) => async (store: Store) => {
  const held = await claimOne(store, { now, attemptsMaxDefault: 1 })
  await ask(store, settle(held.lease, settlement, now))
}
const steered = (act: SteerAct) => async (store: Store, id: string) => {
  const criteria = { ids: [jobId(id)] }
  await ask(store, { type: 'steer', now, operation: 'by hand', page: 0, act, criteria, cursor: null, room: 10 })
}
const ends: Readonly<Record<string, (store: Store, id: string) => Promise<void>>> = {
  'is completed': settled(complete),
  'is discarded by its handler': settled(discard),
  'has failed its last attempt': settled(fail()),
  'is skipped by its code': settled({ type: 'skip' }),
  'was asked to cancel while it ran': async (store, id) => {
    const held = await claimOne(store, { now })
    await ask(store, cancel(id, now))
    await ask(store, settle(held.lease, complete, now))
  },
  'is cancelled while it waits': async (store, id) => void (await ask(store, cancel(id, now))),
  'is lost with its process at its last attempt': async (store) => {
    await claimOne(store, { now, attemptsMaxDefault: 1 })
    await ask(store, reclaim('ann', now))
  },
  'is discarded by hand': steered({ type: 'discard', error: { name: 'Error', message: 'by hand' } }),
  'is deleted by hand': steered({ type: 'delete' }),
}

test.each(Object.entries(ends))('a tick that waits has its turn when the job before it %s', async (_, end) => {
  const store = openStore()
  await declare(store, [newSchedule('nightly', { overlap: 'queue' })])
  const [first = ''] = await fired(store, 'nightly', dawn + minuteMs)
  const [waits = ''] = await fired(store, 'nightly', now)
  expect(await store.job(jobId(waits))).toMatchObject({ state: 'suspended' })
  await end(store, first)
  expect(await store.job(jobId(waits))).toMatchObject({ state: 'ready' })
  expect(await store.violations()).toEqual([])
})

test('a tick that was cancelled while it waited can be retried, and waits for no turn then', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly', { overlap: 'queue' })])
  await fired(store, 'nightly', dawn + minuteMs)
  const [waits = ''] = await fired(store, 'nightly', now)
  await ask(store, cancel(waits, now))
  await steered({ type: 'retry', runAt: now, attemptsMax: null })(store, waits)
  expect(await store.job(jobId(waits))).toMatchObject({ state: 'ready' })
  expect(await store.violations()).toEqual([])
})
