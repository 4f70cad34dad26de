import { expect, test } from 'vitest'
import { decodePayload, encodePayload } from '../../src/job/payload.ts'
import { createSqliteStore } from '../../src/persistence/sqlite/store.ts'
import { ask, claimOne, complete, enqueue, jobId, newJob, progress, renew, settle, start } from '../support/store/commands.ts'
import { openConnection, openStore, plainConnection } from '../support/store/scratch.ts'

test('an acknowledged job is seen by another connection', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const other = openStore({ database: store.file })
  expect(await other.job(jobId('a'))).toMatchObject({ state: 'ready', attempt: 0, token: 0, runAt: start, createdAt: start })
})

test('all that was given at the enqueue is given back', async () => {
  const store = openStore()
  const backoff = { baseMs: 10, maxMs: 100, factor: 2, jitter: 0.2 }
  const given = {
    kind: 'send',
    queue: 'mail',
    priority: -3,
    runAt: start + 5,
    timeoutMs: Number.POSITIVE_INFINITY,
    attemptsMax: 7,
  }
  await ask(store, enqueue(newJob('a', { ...given, backoff })))
  expect(await store.job(jobId('a'))).toMatchObject(given)
  expect(await claimOne(store, { now: start + 5 })).toMatchObject({ ...given, backoff })
})

test('a repeated enqueue leaves the job as it is, whatever became of it', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const { lease } = await claimOne(store)
  await ask(store, settle(lease, complete))
  const before = await store.job(jobId('a'))
  expect(await ask(store, enqueue(newJob('a', { kind: 'other', input: '2' })), true)).toEqual({ type: 'enqueued' })
  expect(await store.job(jobId('a'))).toEqual(before)
})

test.each([
  ['nothing', undefined, 'null'],
  ['a JSON value', { list: [1, 'two', null] }, 'text'],
  ['text that looks like a number', '123', 'text'],
  ['a Date in a Map', new Map([['at', new Date(5)]]), 'blob'],
  ['bytes', new Uint8Array([0, 255]), 'blob'],
])('an input of %s comes back as it was', async (_, input, type) => {
  const store = openStore()
  await ask(store, enqueue(newJob('a', { input: encodePayload(input) })))
  const row = await store.job(jobId('a'))
  expect(decodePayload(row?.input ?? null)).toEqual(input)
  const stored = plainConnection(store.file).prepare('SELECT typeof(input) FROM reeve_jobs').pluck().get()
  expect(stored).toBe(type)
})

test.each([
  ['text', 'x'.repeat(50_000)],
  ['bytes', new Uint8Array(50_000).fill(7)],
])('a large input of %s comes back from a claim and a query, and a repeated enqueue leaves it', async (_, large) => {
  const store = openStore()
  const input = encodePayload(large)
  await store.commit([enqueue(newJob('a', { input }), newJob('b')), enqueue(newJob('a', { input: 'y'.repeat(50_000) }))])
  expect(decodePayload((await store.job(jobId('a')))?.input ?? null)).toEqual(large)
  expect(decodePayload((await claimOne(store)).input)).toEqual(large)
  expect((await claimOne(store)).input).toBe(newJob('b').input)
})

test('what happens to a job does not write its large input again', async () => {
  const db = openConnection()
  const store = createSqliteStore(db)
  await ask(store, enqueue(newJob('a', { input: 'x'.repeat(1_000_000) })))
  db.pragma('wal_checkpoint(TRUNCATE)')
  const { lease } = await claimOne(store)
  await store.commit([progress(lease, 0.5), renew([lease]), settle(lease, complete)])
  const [{ log }] = db.pragma('wal_checkpoint(PASSIVE)') as [{ log: number }]
  expect(log).toBeLessThan(20)
})

test('bytes that came by a message, and so are no Buffer, are stored as bytes', async () => {
  const store = openStore()
  const part = new Uint8Array([9, 1, 2, 9]).subarray(1, 3)
  await ask(store, enqueue(newJob('a', { input: part })))
  const row = await store.job(jobId('a'))
  expect(row?.input).toEqual(Buffer.from([1, 2]))
})

test('a batch is all or nothing', async () => {
  const store = openStore()
  const broken = newJob('b', { attemptsMax: 0 })
  await expect(store.commit([enqueue(newJob('a')), enqueue(broken)])).rejects.toMatchObject({ name: 'ReeveError' })
  expect(await store.job(jobId('a'))).toBeNull()
})

test('a due time of part of a millisecond is rounded up, never early', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a', { runAt: start + 0.2 })))
  expect((await store.job(jobId('a')))?.runAt).toBe(start + 1)
})
