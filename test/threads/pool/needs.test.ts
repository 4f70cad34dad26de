import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { expect, onTestFinished, test } from 'vitest'
import { decodePayload } from '../../../src/job/payload.ts'
import type { PoolOptions } from '../../../src/threads/piscina-pool.ts'
import { ProcessPool } from '../../../src/threads/process-pool.ts'
import { type MakePool, openPool, type RecordedRun, type TestPool } from '../../support/threads/test-pool.ts'

const carriers: { readonly on: string; readonly make: MakePool | undefined }[] = [
  { on: 'a thread', make: undefined },
  { on: 'a child process', make: (options: PoolOptions) => new ProcessPool(options) },
]

async function open(make?: MakePool, options: Partial<PoolOptions> = {}): Promise<TestPool> {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-needs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const variables = { ...env, REEVE_TEST_FOLDER: folder, REEVE_TEST_PORT: '80' }
  const pool = await openPool('needs.ts', { env: variables, ...options }, make)
  onTestFinished(() => pool.pool.close())
  return pool
}

async function resultOf(run: RecordedRun): Promise<unknown> {
  const outcome = await run.settled()
  return outcome.type === 'returned' ? decodePayload(outcome.result) : outcome
}

const result = async (pool: TestPool, kind: string, input?: unknown) => resultOf(await pool.start(kind, input))

test.each(carriers)('on $on a handler has what the schema makes of its environment, and its own database', async ({ make }) => {
  const pool = await open(make)
  expect(await result(pool, 'reads')).toBe(80)
  expect(await result(pool, 'readsToo')).toBe(81)
  const [migrated, visit] = (await result(pool, 'visits')) as string[]
  expect(migrated).toBe(`migrated by ${visit}`)
  expect(await result(pool, 'visits')).toEqual([migrated, visit, visit])
  expect(await result(pool, 'alone')).toEqual([undefined, undefined])
})

test.each(carriers)(
  'on $on variables that are wrong are told at the start, all of them, and turn the jobs of their kind away',
  async ({ make }) => {
    const pool = await open(make)
    const told = {
      code: 'REEVE_ENV_INVALID',
      message: expect.stringMatching(/^The environment of kind 'lacks' is not valid: REEVE_TEST_TOKEN: .*; REEVE_TEST_MODE: .*/),
    }
    await pool.until(() => pool.resourceFailures.length > 0)
    expect(pool.resourceFailures).toMatchObject([told])
    const run = await pool.start('lacks')
    expect(await run.failed('setup-failed')).toMatchObject(told)
    expect(await result(pool, 'reads')).toBe(80)
  },
)

test('where a migration fails the jobs of the kind are turned away, and the worker goes on', async () => {
  const pool = await open()
  const run = await pool.start('fails')
  expect(await run.failed('setup-failed')).toMatchObject({
    code: 'REEVE_MIGRATION_FAILED',
    message: expect.stringMatching(
      /^The database of kind 'fails' cannot be used: .*fails\.db failed: 'bad': near "TABEL": syntax error/,
    ),
  })
  expect(await result(pool, 'visits')).toHaveLength(2)
})

test('a transaction that a handler leaves open is rolled back, and what it returned does not count', async () => {
  const pool = await open()
  const returns = await pool.start('leavesOpen', 'returns')
  expect(await returns.failed()).toMatchObject({ code: 'REEVE_TRANSACTION_OPEN' })
  const throws = await pool.start('leavesOpen', 'throws')
  expect(await throws.failed()).toMatchObject({ name: 'TypeError' })
  expect(await result(pool, 'visits')).not.toContain('never kept')
})

test('a handler that closes its database closes that of no other one', async () => {
  const pool = await open()
  await result(pool, 'closes')
  expect(await result(pool, 'visits')).toHaveLength(2)
})

test('a handler that is terminated within a transaction leaves a database that others go on with', async () => {
  const pool = await open()
  const run = await pool.start('hangs')
  await run.said('in a transaction')
  run.run.terminate()
  expect(await run.ended()).toMatchObject({ type: 'exited', terminated: true })
  expect(await result(pool, 'visits')).toHaveLength(2)
})

test.each(carriers)('workers that come at the same moment, each on $on, migrate once', async ({ make }) => {
  const pool = await open(make, { threads: 4 })
  await pool.until(() => pool.pool.idleCount() === 4)
  const runs = await Promise.all([1, 2, 3, 4].map(() => pool.start('visits')))
  const visits = (await Promise.all(runs.map(resultOf))) as string[][]
  const last = visits.toSorted((a, b) => a.length - b.length).at(-1) ?? []
  expect(last.filter((worker) => worker.startsWith('migrated'))).toHaveLength(1)
  expect(last).toHaveLength(5)
  expect(new Set(last).size).toBe(5)
})
