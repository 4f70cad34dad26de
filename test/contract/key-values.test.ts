import { expect, test } from 'vitest'
import type { KeyValueOperation } from '../../src/job/key-value.ts'
import type { Lease } from '../../src/job/lease.ts'
import { ask, claimOne, complete, enqueue, newJob, settle, start } from '../support/store/commands.ts'
import { openStore, plainConnection } from '../support/store/scratch.ts'

const of = (by: { lease: Lease } | { kind: string }, operation: KeyValueOperation) =>
  ({ type: 'key-value', now: start, by, operation }) as const
const set = (key: string, value: string, version: string, expected?: string | null): KeyValueOperation => ({
  ...{ type: 'set', key, value, version },
  ...(expected !== undefined && { expected }),
})
const get = (key: string): KeyValueOperation => ({ type: 'get', key })

async function openWithJob() {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const { lease } = await claimOne(store)
  return { store, lease }
}

test('a value is kept in the namespace of the kind of the job whose lease wrote it', async () => {
  const { store, lease } = await openWithJob()
  await ask(store, of({ lease }, set('k', '1', 'v1')))
  expect(await ask(store, of({ kind: 'resize' }, get('k')))).toMatchObject({ outcome: { stored: { value: '1', version: 'v1' } } })
  expect(await ask(store, of({ kind: 'send' }, get('k')))).toMatchObject({ outcome: { type: 'found', stored: null } })
})

test('once its lease is over a job neither reads nor writes', async () => {
  const { store, lease } = await openWithJob()
  await ask(store, settle(lease, complete))
  for (const operation of [set('k', '1', 'v1'), get('k')])
    expect(await ask(store, of({ lease }, operation))).toEqual({ type: 'key-value', outcome: { type: 'stale' } })
  expect(await ask(store, of({ kind: 'resize' }, get('k')))).toMatchObject({ outcome: { stored: null } })
})

test('a conditional write changes nothing where another version is there, and says which', async () => {
  const store = openStore()
  const by = { kind: 'resize' }
  await ask(store, of(by, set('k', '1', 'v1', null)))
  const there = { type: 'conflict', stored: { value: '1', version: 'v1' } }
  expect(await ask(store, of(by, set('k', '2', 'v2', null)))).toMatchObject({ outcome: there })
  expect(await ask(store, of(by, set('k', '2', 'v2', 'v0')))).toMatchObject({ outcome: there })
  expect(await ask(store, of(by, { type: 'delete', key: 'k', expected: 'v0' }))).toMatchObject({ outcome: there })
  expect(await ask(store, of(by, set('k', '2', 'v2', 'v1')))).toMatchObject({ outcome: { type: 'written' } })
})

test('a write that is repeated after others have written has no second effect', async () => {
  const store = openStore()
  const by = { kind: 'resize' }
  const first = of(by, set('count', '1', 'v1', null))
  await ask(store, first)
  for (let write = 2; write <= 9; write++) await ask(store, of(by, set('count', String(write), `v${write}`, `v${write - 1}`)))
  expect(await ask(store, first, true)).toMatchObject({ outcome: { type: 'written' } })
  expect(await ask(store, of(by, get('count')))).toMatchObject({ outcome: { stored: { value: '9' } } })
})

test('a list comes in pages in the order of keys, and large values make them shorter', async () => {
  const store = openStore()
  const by = { kind: 'resize' }
  for (const key of ['p/c', 'p/a', 'q', 'p/b', 'o']) await ask(store, of(by, set(key, key, `v ${key}`)))
  const page = async (after: string | null, limit = 2) => {
    const { outcome } = await ask(store, of(by, { type: 'list', prefix: 'p/', after, limit }))
    return outcome.type === 'listed' ? [outcome.entries.map(({ key }) => key), outcome.more] : outcome
  }
  expect(await page(null)).toEqual([['p/a', 'p/b'], true])
  expect(await page('p/b')).toEqual([['p/c'], false])
  await ask(store, of(by, set('p/a', 'x'.repeat(5_000_000), 'large')))
  expect(await page(null)).toEqual([['p/a'], true])
  expect(await page('p/a', 100)).toEqual([['p/b', 'p/c'], false])
})

test('a key is looked up, and a page is walked, by an index', async () => {
  const { file } = openStore()
  const db = plainConnection(file)
  const plan = (sql: string) =>
    db
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail)
  const from = 'FROM reeve_key_values WHERE kind = 1 AND key'
  expect(plan(`SELECT value ${from} = 2`)).toEqual([expect.stringContaining('SEARCH reeve_key_values USING INDEX')])
  expect(plan(`SELECT value ${from} >= 2 AND key > 3 ORDER BY key LIMIT 4`)).toEqual([
    expect.stringContaining('SEARCH reeve_key_values USING INDEX'),
  ])
})
