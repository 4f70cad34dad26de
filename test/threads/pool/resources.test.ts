import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { expect, onTestFinished, test } from 'vitest'
import { decodePayload } from '../../../src/job/payload.ts'
import type { PiscinaPool, PoolOptions } from '../../../src/threads/piscina-pool.ts'
import { ProcessPool } from '../../../src/threads/process-pool.ts'
import { ManualTimers } from '../../support/threads/manual-timers.ts'
import { type MakePool, openPool, type RecordedRun, type TestPool } from '../../support/threads/test-pool.ts'

const carriers: { readonly on: string; readonly make: MakePool | undefined }[] = [
  { on: 'a thread', make: undefined },
  { on: 'a child process', make: (options: PoolOptions) => new ProcessPool(options) },
]

/** A pool whose workers write to a file, and what is in it. */
async function open(make?: MakePool, options: Partial<PoolOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-resources-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'said')
  const pool = await openPool('resources.ts', { env: { ...env, REEVE_TEST_FILE: file }, ...options }, make)
  onTestFinished(() => pool.pool.close())
  const said = () => {
    try {
      return readFileSync(file, 'utf8').trimEnd().split('\n')
    } catch {
      return []
    }
  }
  return { pool, said }
}

async function resultOf(run: RecordedRun): Promise<unknown> {
  const outcome = await run.settled()
  return outcome.type === 'returned' ? decodePayload(outcome.result) : outcome
}

const result = async (pool: TestPool, kind: string) => resultOf(await pool.start(kind))

test.each(carriers)(
  'on $on a resource is made once, when it is first needed, and unmade when the worker is closed',
  async ({ make }) => {
    const { pool, said } = await open(make)
    expect(await result(pool, 'alone')).toBe('alone')
    expect(said()).toEqual([])
    const first = await result(pool, 'opens')
    expect(first).toMatchObject({ number: 1 })
    expect(await result(pool, 'opens')).toEqual(first)
    expect(await result(pool, 'opensToo')).toEqual(first)
    expect(await result(pool, 'opensLater')).toBe('second')
    expect(said()).toEqual(['setup'])
    await pool.pool.close()
    expect(said()).toEqual(['setup', 'teardown second', 'teardown 1'])
    expect(pool.resourceFailures).toMatchObject([
      { code: 'REEVE_SETUP_FAILED', message: 'A teardown failed: it would not close' },
    ])
  },
)

test('each worker has a resource of its own', async () => {
  const { pool } = await open(undefined, { threads: 2 })
  await pool.until(() => pool.pool.idleCount() === 2)
  const runs = [await pool.start('opens'), await pool.start('opens')]
  const [first, second] = (await Promise.all(runs.map(resultOf))) as { threadId: number }[]
  expect(first?.threadId).not.toBe(second?.threadId)
})

test('a setup that is a method keeps its this', async () => {
  const { pool } = await open()
  expect(await result(pool, 'method')).toBe('/models')
})

test('where a setup fails its jobs are turned away, it is not tried again at once, and the worker goes on', async () => {
  const { pool, said } = await open()
  for (let time = 0; time < 3; time++) {
    const run = await pool.start('fails')
    expect(await run.failed('setup-failed')).toMatchObject({
      code: 'REEVE_SETUP_FAILED',
      message: "The setup of kind 'fails' failed: no model",
      cause: { name: 'RangeError' },
    })
    expect(run.end).toEqual({ type: 'done' })
  }
  expect(said()).toEqual(['setup that fails, 1'])
  expect(pool.resourceFailures).toHaveLength(1)
  expect(await result(pool, 'alone')).toBe('alone')
})

test.each(carriers)('on $on a setup that throws where nobody awaits it is to blame, not the job', async ({ make }) => {
  const { pool } = await open(make)
  const run = await pool.start('failsUnawaited')
  expect(await run.failed('setup-failed')).toMatchObject({ message: expect.stringContaining('in a timer') })
  expect(run.end).toMatchObject({ type: 'exited' })
  expect(pool.lateFaults).toEqual([])
  expect(await result(pool, 'alone')).toBe('alone')
})

test('a setup that never ends costs the worker, not the job', async () => {
  // The same bound holds for loading the module, which takes seconds on a machine that is busy.
  const { pool } = await open(undefined, { loadTimeoutMs: 8_000 })
  const run = await pool.start('hangs')
  expect(await run.failed('setup-failed')).toMatchObject({ message: expect.stringContaining('did not end within 8000 ms') })
  expect(await result(pool, 'alone')).toBe('alone')
})

test('a setup that spins is ended with its thread, and is to blame', async () => {
  const { pool, said } = await open()
  const run = await pool.start('spins')
  await new ManualTimers(0).until(() => said().includes('spinning'))
  run.run.terminate()
  expect(await run.failed('setup-failed')).toMatchObject({ message: expect.stringContaining("the setup of kind 'spins'") })
  expect(pool.resourceFailures).toHaveLength(1)
})

test('a teardown that never ends is cut short after five seconds', async () => {
  const timers = new ManualTimers(5_000)
  const { pool } = await open(undefined, { clock: timers.clock })
  expect(await result(pool, 'neverCloses')).toBe('ran')
  const closed = pool.pool.close()
  timers.fire()
  await closed
})

test('a worker that is no longer needed unmakes its resource too', async () => {
  const { pool, said } = await open()
  await result(pool, 'opens')
  ;(pool.pool as PiscinaPool).resize(0)
  await new ManualTimers(0).until(() => pool.pool.threadCount() === 0)
  expect(said()).toEqual(['setup', 'teardown 1'])
  expect(pool.lateFaults).toEqual([])
})
