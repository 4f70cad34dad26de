import { expect, test } from 'vitest'
import {
  ask,
  claim,
  claimOne,
  complete,
  declareLimits,
  discard,
  jobId,
  ownerId,
  settle,
  start,
} from '../../support/store/commands.ts'
import { dawn, decisionOf, declare, fire, fired, minuteMs, newSchedule } from '../../support/store/schedules.ts'
import { openStore, plainConnection } from '../../support/store/scratch.ts'

const tick = (count: number) => dawn + count * minuteMs

test('a tick makes one job, which knows its instant and the next, and moves the cursor to the instant and not to now', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly', { input: { pages: 2 }, queue: 'reports', priority: 3 })])
  const [id] = await fired(store, 'nightly', tick(1) + 17)
  const made = { kind: 'report', queue: 'reports', priority: 3, state: 'ready', runAt: tick(1), input: '{"pages":2}' }
  const its = { schedule: 'nightly', scheduledAt: tick(1), nextAt: tick(2), isCatchUp: false }
  expect(await store.job(jobId(id ?? ''))).toMatchObject({ ...made, tick: its })
  expect(await store.schedule('nightly')).toMatchObject({ cursor: tick(1) })
  expect(await store.dueSchedules(['report'], tick(1) + 18)).toEqual({ due: [], nextAt: tick(2) })
  expect(await claimOne(store, { now: tick(2) })).toMatchObject({ tick: its })
})

test('of two decisions on one tick one fires, and the other is told to look again', async () => {
  const store = openStore()
  const other = openStore({ database: store.file })
  await declare(store, [newSchedule('nightly')])
  const decisions = [await decisionOf(store, 'nightly', tick(1)), await decisionOf(other, 'nightly', tick(1))] as const
  expect(await ask(store, decisions[0])).toMatchObject({ type: 'schedule-fired' })
  expect(await ask(other, decisions[1])).toEqual({ type: 'schedule-stale' })
  expect(await store.counts()).toMatchObject({ ready: 1 })
})

test('a decision that is repeated gives the same answer and makes nothing again', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly', { overlap: 'cancel-running' }), newSchedule('hourly')])
  for (const name of ['nightly', 'hourly']) await fire(store, name, tick(1))
  await claimOne(store, { now: tick(1) })
  for (const name of ['nightly', 'hourly']) {
    const decision = await decisionOf(store, name, tick(2))
    expect(await ask(store, decision, true)).toEqual(await ask(store, decision))
  }
})

test('a schedule that was removed and declared again does not fire an instant a second time', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly', { overlap: 'allow' })])
  await fire(store, 'nightly', tick(1))
  await ask(store, { type: 'steer-schedule', now: tick(1), name: 'nightly', act: 'remove' })
  await declare(store, [newSchedule('nightly', { overlap: 'allow' })])
  expect(await fired(store, 'nightly', tick(1))).toEqual([])
  expect(await fired(store, 'nightly', tick(2))).toHaveLength(1)
  expect(await store.counts()).toMatchObject({ ready: 2 })
})

test('overlap: a tick is skipped on record while a job of the schedule is not over', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly')])
  await fire(store, 'nightly', tick(1))
  const held = await claimOne(store, { now: tick(1) })
  expect(await fire(store, 'nightly', tick(2))).toMatchObject({ jobs: [], skipped: [{ instant: tick(2), reason: 'overlap' }] })
  await ask(store, settle(held.lease, complete, tick(2)))
  expect(await fired(store, 'nightly', tick(3))).toHaveLength(1)
  expect(await store.scheduleSkips('nightly')).toEqual([{ from: tick(2), to: tick(2), count: 1, reason: 'overlap' }])
})

test('a tick of a kind whose exclusive lock is held is skipped on record, and the next one is fired when it is free', async () => {
  const store = openStore()
  const { kind } = newSchedule('nightly')
  await declare(store, [newSchedule('nightly')])
  await ask(store, { ...declareLimits({ scope: 'kind', name: kind, exclusive: ['door'] }), kinds: [kind] })
  plainConnection(store.file).exec("INSERT INTO reeve_supervisors (owner, pid) VALUES ('bob', 1)")
  const taking = { name: 'door', taking: 'app' } as const
  await ask(store, { type: 'lock', now: start, ...taking, owner: ownerId('bob'), lease: null, expiresAt: null })
  expect(await fire(store, 'nightly', tick(1))).toMatchObject({ jobs: [], skipped: [{ instant: tick(1), reason: 'exclusive' }] })
  await ask(store, { type: 'unlock', ...taking })
  expect(await fire(store, 'nightly', tick(2))).toMatchObject({ skipped: [] })
  expect(await store.scheduleSkips('nightly')).toEqual([{ from: tick(1), to: tick(1), count: 1, reason: 'exclusive' }])
})

test('overlap: `allow` runs them side by side', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly', { overlap: 'allow' })])
  for (const count of [1, 2, 3]) expect(await fired(store, 'nightly', tick(count))).toHaveLength(1)
  expect(await store.counts()).toMatchObject({ ready: 3 })
})

test('overlap: with `queue` one waits until the other is over, and later ones are skipped', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly', { overlap: 'queue' })])
  await fire(store, 'nightly', tick(1))
  const held = await claimOne(store, { now: tick(1) })
  const [waits] = await fired(store, 'nightly', tick(2))
  expect(await store.job(jobId(waits ?? ''))).toMatchObject({ state: 'suspended' })
  expect(await fire(store, 'nightly', tick(3))).toMatchObject({ jobs: [], skipped: [{ reason: 'overlap' }] })
  await ask(store, settle(held.lease, discard, tick(3)))
  expect(await claimOne(store, { now: tick(3) })).toMatchObject({ id: waits })
})

test('overlap: `cancel-running` asks the other to stop, and the new one runs once it is gone', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly', { overlap: 'cancel-running' })])
  await fire(store, 'nightly', tick(1))
  const held = await claimOne(store, { now: tick(1) })
  const second = await fire(store, 'nightly', tick(2))
  expect(second).toMatchObject({ cancelled: [], stopping: [{ jobId: held.id, token: held.token, owner: 'ann' }] })
  expect((await ask(store, claim({ now: tick(2) }))).jobs).toEqual([])
  // The second one waits still, so the third takes its place without a wait for anybody's word.
  const third = await fire(store, 'nightly', tick(3))
  expect(third).toMatchObject({ cancelled: [{ kind: 'report' }], stopping: [{ jobId: held.id }] })
  await ask(store, settle(held.lease, { type: 'cancel' }, tick(3)))
  expect(await claimOne(store, { now: tick(3) })).toMatchObject({ tick: { scheduledAt: tick(3) } })
})

test('catch-ups wait their turn whatever the overlap rule, oldest first, and each is run', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly', { catchUp: { all: true, max: 3 } })])
  expect(await fired(store, 'nightly', tick(5) + 45_000)).toHaveLength(3)
  expect(await store.scheduleSkips('nightly')).toEqual([{ from: tick(1), to: tick(2), count: 2, reason: 'catch-up-limit' }])
  for (const count of [3, 4, 5]) {
    const { jobs } = await ask(store, claim({ now: tick(6) }))
    expect(jobs.map(({ tick }) => tick)).toMatchObject([{ scheduledAt: tick(count), isCatchUp: true }])
    for (const { id, token } of jobs) await ask(store, settle({ jobId: id, token }, complete, tick(6)))
  }
})

test('a turn is given once all jobs of the schedule are over, also those that were triggered by hand', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly', { overlap: 'queue' })])
  await fire(store, 'nightly', tick(1))
  await ask(store, { type: 'trigger-schedule', now: tick(1), name: 'nightly', jobId: jobId('by-hand') })
  const held = (await ask(store, claim({ now: tick(1) }))).jobs.map(({ id, token }) => ({ jobId: id, token }))
  expect(held).toHaveLength(2)
  const [waits] = await fired(store, 'nightly', tick(2))
  for (const lease of held) {
    expect(await store.job(jobId(waits ?? ''))).toMatchObject({ state: 'suspended' })
    await ask(store, settle(lease, complete, tick(2)))
  }
  expect(await store.job(jobId(waits ?? ''))).toMatchObject({ state: 'ready' })
})

test('a triggered job is none of the ticks, and runs whatever runs', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly')])
  await fire(store, 'nightly', tick(1))
  const command = { type: 'trigger-schedule', now: tick(1), name: 'nightly', jobId: jobId('by-hand') } as const
  expect(await ask(store, command)).toEqual({ type: 'schedule-triggered', kind: 'report' })
  expect(await ask(store, command, true)).toEqual({ type: 'schedule-triggered', kind: 'report' })
  expect(await ask(store, { ...command, name: 'none' })).toEqual({ type: 'schedule-triggered', kind: null })
  const its = { schedule: 'nightly', scheduledAt: null, nextAt: tick(2), isCatchUp: false }
  expect(await store.job(jobId('by-hand'))).toMatchObject({ state: 'ready', tick: its })
})

test('a large input stands beside its job and comes back whole', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly', { input: 'x'.repeat(5_000) })])
  await fire(store, 'nightly', tick(1))
  expect((await claimOne(store, { now: tick(1) })).input).toBe(JSON.stringify('x'.repeat(5_000)))
})

test('a tick that is skipped by its code is on record; one of a schedule that is gone is not', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly')])
  await fire(store, 'nightly', tick(1))
  const first = await claimOne(store, { now: tick(1) })
  expect(await ask(store, settle(first.lease, { type: 'skip' }, tick(1)))).toMatchObject({ state: 'cancelled' })
  expect(await store.scheduleSkips('nightly')).toEqual([{ from: tick(1), to: tick(1), count: 1, reason: 'should-skip' }])
  await fire(store, 'nightly', tick(2))
  const second = await claimOne(store, { now: tick(2) })
  await ask(store, { type: 'steer-schedule', now: tick(2), name: 'nightly', act: 'remove' })
  expect(await ask(store, settle(second.lease, { type: 'skip' }, tick(2)))).toMatchObject({ state: 'cancelled' })
})

test('breaker: after the failures ticks are skipped, 1, 2, 4 …, with one let through between; a success closes it', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly', { breaker: { failures: 2, skipMax: 4 } })])
  const history: string[] = []
  for (let count = 1; count <= 18; count++) {
    const [id] = await fired(store, 'nightly', tick(count))
    history.push(id === undefined ? 'skip' : 'run')
    if (id === undefined) continue
    const held = await claimOne(store, { now: tick(count) })
    await ask(store, settle(held.lease, count < 17 ? discard : complete, tick(count)))
  }
  const skips = (many: number) => Array.from({ length: many }, () => 'skip')
  expect(history).toEqual(['run', 'run', ...skips(1), 'run', ...skips(2), 'run', ...skips(4), 'run', ...skips(4), 'run', 'run'])
  expect(await store.schedule('nightly')).toMatchObject({ failures: 0, skipWidth: 0, skipLeft: 0 })
  expect((await store.scheduleSkips('nightly')).every(({ reason }) => reason === 'breaker')).toBe(true)
})

test('breaker: while it is half open one is let through, and no second one beside it', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly', { overlap: 'allow', breaker: { failures: 1, skipMax: 1 } })])
  await fire(store, 'nightly', tick(1))
  await ask(store, settle((await claimOne(store, { now: tick(1) })).lease, discard, tick(1)))
  expect(await fire(store, 'nightly', tick(2))).toMatchObject({ skipped: [{ reason: 'breaker' }] })
  expect(await fired(store, 'nightly', tick(3))).toHaveLength(1)
  expect(await fire(store, 'nightly', tick(4))).toMatchObject({ jobs: [], skipped: [{ reason: 'breaker' }] })
})

test('breaker: a cancelled tick is neither a failure nor a success', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly', { breaker: { failures: 1 } })])
  const [id] = await fired(store, 'nightly', tick(1))
  await ask(store, { type: 'cancel', now: tick(1), jobId: jobId(id ?? '') })
  expect(await store.schedule('nightly')).toMatchObject({ failures: 0 })
  expect(await fired(store, 'nightly', tick(2))).toHaveLength(1)
})

test('a hundred stretches of skipped ticks are kept of a schedule, the latest', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly')])
  for (let count = 1; count <= 105; count++) await fire(store, 'nightly', tick(count))
  const skips = await store.scheduleSkips('nightly')
  expect([skips.length, skips[0]?.from, skips.at(-1)?.from]).toEqual([100, tick(105), tick(6)])
})
