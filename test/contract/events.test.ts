import { expect, test } from 'vitest'
import type { EventLogLimits } from '../../src/persistence/event-log.ts'
import { eventsSql } from '../../src/persistence/sqlite/queries/events.ts'
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
  newJob,
  reclaim,
  settle,
  snooze,
  start,
} from '../support/store/commands.ts'
import { openConnection, openStore, plainConnection } from '../support/store/scratch.ts'

const plenty: EventLogLimits = { maxCount: 1_000, maxAgeMs: null }
const keep = (limits: EventLogLimits | null = plenty) => ({ type: 'keep-events' as const, limits })
const all = { after: 'start' as const, types: null, limit: 1_000 }
const typesOf = async (store: Store, job?: string) =>
  (await store.events(all))?.events.filter(({ jobId }) => job === undefined || jobId === job).map(({ type }) => type)

async function keeping(limits?: EventLogLimits): Promise<Store & { readonly file: string }> {
  const store = openStore()
  await ask(store, keep(limits))
  return store
}

test('each change of a job writes its event', async () => {
  const store = await keeping()
  await ask(store, enqueue(newJob('a', { attemptsMax: 2 })))
  await ask(store, settle((await claimOne(store)).lease, snooze(0), start + 1))
  await ask(store, settle((await claimOne(store, { now: start + 1 })).lease, interrupted, start + 1))
  await ask(store, settle((await claimOne(store, { now: start + 1 })).lease, fail(5), start + 1))
  await claimOne(store, { now: start + 6 })
  await ask(store, reclaim('ann', start + 6))
  expect(await typesOf(store)).toEqual([
    'enqueued',
    'claimed',
    'snoozed',
    'claimed',
    'interrupted',
    'claimed',
    'retrying',
    'claimed',
    'discarded',
  ])
  await ask(store, enqueue(newJob('b'), newJob('c'), newJob('d')))
  await ask(store, settle((await claimOne(store)).lease, complete))
  await ask(store, settle((await claimOne(store)).lease, discard))
  await ask(store, cancel('d'))
  expect(await Promise.all(['b', 'c', 'd'].map((job) => typesOf(store, job)))).toEqual([
    ['enqueued', 'claimed', 'completed'],
    ['enqueued', 'claimed', 'discarded'],
    ['enqueued', 'cancelled'],
  ])
})

test('a job that was taken back from the dead is told as such', async () => {
  const store = await keeping()
  await ask(store, enqueue(newJob('a')))
  await claimOne(store)
  await ask(store, reclaim('ann'))
  expect(await typesOf(store)).toEqual(['enqueued', 'claimed', 'reclaimed'])
})

test('an event says which attempt it is of, when the job is due, and what went wrong', async () => {
  const store = await keeping()
  const before = Date.now()
  await ask(store, enqueue(newJob('a', { queue: 'mail' })))
  await ask(store, settle((await claimOne(store)).lease, fail(500)))
  const page = await store.events(all)
  const job = { jobId: 'a', kind: 'resize', queue: 'mail' }
  const now = expect.toSatisfy((at: number) => at >= before - 1 && at <= Date.now() + 1)
  expect(page?.events).toEqual([
    { seq: 1, at: now, type: 'enqueued', ...job, attempt: 0, token: 0, runAt: start, error: null },
    { seq: 2, at: now, type: 'claimed', ...job, attempt: 1, token: 1, runAt: null, error: null },
    {
      ...{ seq: 3, at: now, type: 'retrying', ...job, attempt: 1, token: 1, runAt: start + 500 },
      error: { name: 'Error', message: 'no', code: null },
    },
  ])
  expect(page).toMatchObject({ cursor: 3, isPruned: false, hasMore: false })
})

test('what changes nothing writes no event: a stale settle, a repeated enqueue, a rolled-back commit', async () => {
  const store = await keeping()
  await ask(store, enqueue(newJob('a')))
  await ask(store, enqueue(newJob('a')))
  const { lease } = await claimOne(store)
  await ask(store, settle({ ...lease, token: 9 as never }, complete))
  const db = plainConnection(store.file)
  db.exec("BEGIN; UPDATE reeve_jobs SET state = 'parked', owner = NULL, lease_expires_at = NULL, claim_number = NULL; ROLLBACK")
  db.exec('UPDATE reeve_jobs SET state = state')
  expect(await typesOf(store)).toEqual(['enqueued', 'claimed'])
})

test('once the stream is on all connections write it, those that were open before too', async () => {
  const other = openStore()
  await ask(other, enqueue(newJob('before')))
  const store = openStore({ database: other.file })
  expect(await store.events(all)).toBeNull()
  await ask(store, keep())
  await ask(other, enqueue(newJob('a')))
  await ask(plainStore(other.file), enqueue(newJob('b')))
  expect((await store.events(all))?.events.map(({ jobId }) => jobId)).toEqual(['a', 'b'])
})

const plainStore = (file: string) => openStore({ database: file })

test('a job that is deleted before it is over is told, one that is pruned after its end is not', async () => {
  const store = await keeping()
  await ask(store, enqueue(newJob('a'), newJob('b')))
  await ask(store, settle((await claimOne(store)).lease, complete))
  plainConnection(store.file).exec('DELETE FROM reeve_jobs')
  expect(await typesOf(store, 'a')).toEqual(['enqueued', 'claimed', 'completed'])
  expect(await typesOf(store, 'b')).toEqual(['enqueued', 'deleted'])
})

test('a page looks at so many events, gives those of the types asked for, and says where to go on', async () => {
  const store = await keeping()
  await ask(store, enqueue(newJob('a'), newJob('b'), newJob('c')))
  await ask(store, cancel('a'))
  const asked = { after: 'start' as const, types: ['cancelled' as const], limit: 2 }
  expect(await store.events(asked)).toEqual({ events: [], cursor: 2, isPruned: false, hasMore: true })
  const rest = await store.events({ ...asked, after: 2 })
  expect(rest).toMatchObject({ events: [{ type: 'cancelled', jobId: 'a' }], cursor: 4, hasMore: false })
  expect(await store.events({ ...asked, after: 4 })).toEqual({ events: [], cursor: 4, isPruned: false, hasMore: false })
  expect(await store.events({ ...asked, after: 'end' })).toMatchObject({ events: [], cursor: 4 })
})

test('what is more than is kept is forgotten from its old end, and who was behind it is told', async () => {
  const store = await keeping({ maxCount: 2, maxAgeMs: null })
  await ask(store, enqueue(...['a', 'b', 'c', 'd', 'e'].map((name) => newJob(name))))
  expect(await store.oldEvents(Date.now(), 2)).toBe(2)
  const through = (await store.oldEvents(Date.now(), 100)) ?? 0
  expect(through).toBe(3)
  const command = { type: 'prune-events' as const, through }
  await ask(store, command)
  await ask(store, command, true)
  expect(await store.oldEvents(Date.now(), 100)).toBeNull()
  expect(await store.events({ ...all, after: 2 })).toMatchObject({ isPruned: true })
  expect((await store.events({ ...all, after: 3 }))?.isPruned).toBe(false)
  expect((await store.events(all))?.events.map(({ jobId }) => jobId)).toEqual(['d', 'e'])
})

test('what is too old is forgotten, and the place is remembered when all is gone', async () => {
  const store = await keeping({ maxCount: 1_000, maxAgeMs: 60_000 })
  await ask(store, enqueue(newJob('a'), newJob('b')))
  expect(await store.oldEvents(Date.now() + 30_000, 100)).toBeNull()
  const through = (await store.oldEvents(Date.now() + 90_000, 100)) ?? 0
  await ask(store, { type: 'prune-events', through })
  expect(await store.events({ ...all, after: 1 })).toMatchObject({ events: [], isPruned: true })
  expect(await store.events(all)).toMatchObject({ events: [], cursor: 2, isPruned: false, hasMore: false })
})

test('while the stream is off nothing is written, and who was behind is told when it is on again', async () => {
  const store = await keeping()
  await ask(store, enqueue(newJob('a')))
  await ask(store, keep(null))
  await ask(store, enqueue(newJob('b')))
  expect(await store.events(all)).toBeNull()
  expect(await store.oldEvents(Date.now(), 100)).toBe(1)
  await ask(store, keep())
  await ask(store, enqueue(newJob('c')))
  expect((await store.events(all))?.events.map(({ jobId }) => jobId)).toEqual(['c'])
  expect(await store.events({ ...all, after: 1 })).toMatchObject({ isPruned: true })
})

test('to begin the stream again changes its limits and nothing else', async () => {
  const store = await keeping()
  const db = plainConnection(store.file)
  const schema = () => db.pragma('schema_version', { simple: true })
  await ask(store, enqueue(newJob('a')))
  const before = schema()
  await ask(store, keep({ maxCount: 1, maxAgeMs: 5 }))
  expect(schema()).toBe(before)
  expect(await typesOf(store)).toEqual(['enqueued'])
})

test('the stream is read and cut by ranges of its own key', () => {
  const db = openConnection()
  const plan = (sql: string, named: object) => db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(named)
  expect(plan(eventsSql.behind, { after: 1, limit: 1 }).map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^SEARCH reeve_events USING INTEGER PRIMARY KEY \(rowid>\?\)$/),
  ])
  const details = plan(eventsSql.tooOld, { limit: 1, upTo: 1, before: 1 }).map(({ detail }) => detail)
  expect(details.filter((detail) => detail.includes('B-TREE'))).toEqual([])
})
