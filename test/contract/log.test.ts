import { expect, test } from 'vitest'
import type { Lease } from '../../src/job/lease.ts'
import type { LogCommand } from '../../src/persistence/commands/log.ts'
import { logsSql } from '../../src/persistence/sqlite/queries/logs.ts'
import type { Store } from '../../src/persistence/store.ts'
import { ask, claimOne, complete, enqueue, fail, jobId, newJob, settle, start } from '../support/store/commands.ts'
import { openConnection, openStore } from '../support/store/scratch.ts'

function log(of: Lease, lines: readonly number[], { attempt = 1, keep = 100 } = {}): LogCommand {
  const said = lines.map((line) => ({ line, at: start, level: 30, message: `line ${line}`, fields: null }))
  return { type: 'log', lease: of, attempt, lines: said, keep }
}

const all = { after: null, limit: 1_000 }
const kept = async (store: Store, name = 'a') =>
  (await store.logs({ ...all, jobId: jobId(name) }))?.map(({ token, line }) => `${token}.${line}`)

test('lines are kept in the order of attempts and of their numbers', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const first = await claimOne(store)
  expect(await ask(store, log(first.lease, [1, 2]))).toEqual({ type: 'logged', applied: true })
  await ask(store, settle(first.lease, fail()))
  const second = await claimOne(store)
  await ask(store, log(second.lease, [1], { attempt: 2 }))
  expect(await kept(store)).toEqual(['1.1', '1.2', '2.1'])
})

test('a stale writer writes nothing, neither after its settle nor beside a later attempt', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const first = await claimOne(store)
  await ask(store, settle(first.lease, fail()))
  expect(await ask(store, log(first.lease, [1]))).toEqual({ type: 'logged', applied: false })
  await claimOne(store)
  expect(await ask(store, log(first.lease, [1]))).toEqual({ type: 'logged', applied: false })
  expect(await kept(store)).toEqual([])
})

test('the lines of a commit that may have taken effect are there once when it is repeated', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const command = log((await claimOne(store)).lease, [1, 2, 3], { keep: 2 })
  await ask(store, command)
  expect(await ask(store, command, true)).toEqual({ type: 'logged', applied: true })
  expect(await kept(store)).toEqual(['1.2', '1.3'])
})

test('only the latest lines of a job are kept, and those of others are left alone', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('b'), newJob('a')))
  const b = await claimOne(store)
  const a = await claimOne(store)
  await ask(store, log(b.lease, [1, 2, 3]))
  await ask(store, log(a.lease, [1, 2, 3]))
  await ask(store, log(a.lease, [4, 5], { keep: 3 }))
  expect(await kept(store)).toEqual(['1.3', '1.4', '1.5'])
  expect(await kept(store, 'b')).toEqual(['1.1', '1.2', '1.3'])
})

test('a page begins after its place and ends at its limit', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  const { lease } = await claimOne(store)
  await ask(store, log(lease, [1, 2, 3, 4]))
  await ask(store, settle(lease, complete))
  const page = await store.logs({ jobId: jobId('a'), after: { token: 1, line: 1 }, limit: 2 })
  expect(page?.map(({ line }) => line)).toEqual([2, 3])
  expect(await store.logs({ ...all, jobId: jobId('a'), after: { token: 1, line: 4 } })).toEqual([])
  expect(await store.logs({ ...all, jobId: jobId('unknown') })).toBeNull()
})

test('the lines of a job are found by one range of one key, and go with their job', async () => {
  const db = openConnection()
  const plan = db
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${logsSql}`)
    .all({ job: 1, token: 0, line: 0, limit: 9 })
  expect(plan.map(({ detail }) => detail)).toEqual([expect.stringMatching(/^SEARCH reeve_logs USING PRIMARY KEY \(job=\? AND/)])
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  await ask(store, log((await claimOne(store)).lease, [1]))
  const other = openConnection({ database: store.file })
  other.exec('DELETE FROM reeve_jobs')
  expect(other.prepare('SELECT count(*) FROM reeve_logs').pluck().get()).toBe(0)
})
