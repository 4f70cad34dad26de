import { expect, test } from 'vitest'
import { ask } from '../../support/store/commands.ts'
import { dawn, decisionOf, declare, fire, fired, minuteMs, newSchedule, steer } from '../../support/store/schedules.ts'
import { openStore, plainConnection } from '../../support/store/scratch.ts'

const tick = (count: number) => dawn + count * minuteMs
const names = async (store: ReturnType<typeof openStore>) => (await store.schedules()).map(({ name }) => name)

test('a new schedule counts from its declaration, and is to be looked at once', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly')], { now: dawn + 5 })
  const row = { name: 'nightly', kind: 'report', source: 'api', paused: false, cursor: dawn + 5, revision: 1, failures: 0 }
  expect((await store.dueSchedules(['report'], dawn + 5)).due).toMatchObject([row])
  expect(await store.dueSchedules(['other'], dawn + 5)).toEqual({ due: [], nextAt: null })
  expect(await fired(store, 'nightly', dawn + 5)).toEqual([])
  expect(await store.dueSchedules(['report'], dawn + 5)).toEqual({ due: [], nextAt: tick(1) })
})

test('one that is declared as it stands is not written, so that a start wakes nobody', async () => {
  const store = openStore()
  const watch = plainConnection(store.file)
  const version = () => watch.pragma('data_version', { simple: true })
  await declare(store, [newSchedule('nightly', { input: new Date(5) })], { source: 'code', kinds: ['report'] })
  const before = await store.schedule('nightly')
  version()
  await declare(store, [newSchedule('nightly', { input: new Date(5) })], { source: 'code', kinds: ['report'], now: tick(9) })
  expect(await store.schedule('nightly')).toEqual(before)
})

test('a schedule whose times change has missed none of the new ones; one whose input changes keeps its cursor', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly')])
  await declare(store, [newSchedule('nightly', { input: 1 })], { now: tick(3) })
  expect(await store.schedule('nightly')).toMatchObject({ cursor: dawn, input: '1', revision: 2 })
  await declare(store, [newSchedule('nightly', { input: 1, cron: '*/2 * * * *' })], { now: tick(3) })
  expect(await store.schedule('nightly')).toMatchObject({ cursor: tick(3), revision: 3 })
})

test('a decision on a schedule that was changed since is stale', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly')])
  const before = await decisionOf(store, 'nightly', tick(1))
  await declare(store, [newSchedule('nightly', { input: 1 })])
  expect(await ask(store, before)).toEqual({ type: 'schedule-stale' })
  const paused = await decisionOf(store, 'nightly', tick(1))
  await steer(store, 'pause', 'nightly')
  expect(await ask(store, paused)).toEqual({ type: 'schedule-stale' })
})

test('what code does not declare any more is removed, of its own kinds only, and nothing that a call made', async () => {
  const store = openStore()
  await declare(store, [newSchedule('a', {}, 'report'), newSchedule('b', {}, 'report')], { source: 'code', kinds: ['report'] })
  await declare(store, [newSchedule('mail', {}, 'send')], { source: 'code', kinds: ['send'] })
  await declare(store, [newSchedule('called', {}, 'report')])
  await declare(store, [newSchedule('a', {}, 'report')], { source: 'code', kinds: ['report', 'other'] })
  expect(await names(store)).toEqual(['a', 'called', 'mail'])
})

test('a call may neither change nor remove what code declares; code takes over what a call made', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly')])
  await declare(store, [newSchedule('nightly')], { source: 'code', kinds: ['report'] })
  expect(await declare(store, [newSchedule('nightly', { input: 1 })])).toEqual({
    type: 'schedules-declared',
    refused: ['nightly'],
  })
  expect(await steer(store, 'remove', 'nightly')).toMatchObject({ outcome: 'declared-by-code' })
  expect(await store.schedule('nightly')).toMatchObject({ source: 'code', input: null })
})

test('a pause holds over a restart, and what came due in it is not made up for', async () => {
  const store = openStore()
  const code = { source: 'code', kinds: ['report'] } as const
  await declare(store, [newSchedule('nightly')], { ...code, kinds: [...code.kinds] })
  await steer(store, 'pause', 'nightly')
  await declare(store, [newSchedule('nightly')], { ...code, kinds: [...code.kinds] })
  expect(await store.dueSchedules(['report'], tick(5))).toEqual({ due: [], nextAt: null })
  await steer(store, 'resume', 'nightly', tick(5))
  await steer(store, 'resume', 'nightly', tick(6))
  expect(await fire(store, 'nightly', tick(6))).toMatchObject({ jobs: [expect.any(String)] })
  expect(await store.scheduleSkips('nightly')).toEqual([])
  expect(await steer(store, 'pause', 'none')).toMatchObject({ outcome: 'not-found' })
})

test('a schedule that was removed fires no more; its jobs stay', async () => {
  const store = openStore()
  await declare(store, [newSchedule('nightly')])
  await fire(store, 'nightly', tick(1))
  await fire(store, 'nightly', tick(2))
  expect(await steer(store, 'remove', 'nightly')).toMatchObject({ outcome: 'done' })
  expect(await steer(store, 'remove', 'nightly')).toMatchObject({ outcome: 'done' })
  expect([await names(store), await store.counts(), await store.violations()]).toMatchObject([[], { ready: 1 }, []])
})
