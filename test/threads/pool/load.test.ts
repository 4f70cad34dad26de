import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { realClock } from '../../../src/clock.ts'
import { openPool, TestPool } from '../../support/threads/test-pool.ts'

describe('a jobs module that cannot be used fails open with an error that names it', () => {
  test.each([
    ['broken/missing-import.js', 'REEVE_JOBS_UNLOADABLE', /there-is-no-such-file/],
    ['broken/not-there.ts', 'REEVE_JOBS_UNLOADABLE', /not-there\.ts/],
    ['broken/throws.ts', 'REEVE_JOBS_UNLOADABLE', /no database password/],
    ['broken/exits.ts', 'REEVE_JOBS_UNLOADABLE', /exit code 5/],
    ['broken/no-default.ts', 'REEVE_JOBS_INVALID', /no-default\.ts has no default export/],
    ['broken/plain-object.ts', 'REEVE_JOBS_INVALID', /plain-object\.ts is not what defineJobs returns/],
    ['broken/no-run.ts', 'REEVE_JOBS_INVALID', /no-run\.ts .*'resize' has no run function: write resize: job/],
    ['broken/foreign-no-run.ts', 'REEVE_JOBS_INVALID', /'resize' has no run function/],
    ['broken/wrong-option.ts', 'REEVE_JOBS_INVALID', /'resize\.timeout' is '3 parsecs'/],
  ])('%s', async (module, code, message) => {
    const pool = new TestPool(module, { threads: 2 })
    await expect(pool.open()).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
    expect(pool.pool.threadCount()).toBe(0)
    expect(pool.unusable).toEqual([])
  })

  test('a syntax error', async () => {
    const pool = new TestPool('', { jobsUrl: 'data:text/javascript,export default {{' })
    await expect(pool.open()).rejects.toMatchObject({
      code: 'REEVE_JOBS_UNLOADABLE',
      message: expect.stringContaining('could not be loaded: SyntaxError'),
    })
  })

  test.each(['broken/hangs.ts', 'broken/spins.ts'])('%s, in bounded time', async (module) => {
    const pool = new TestPool(module, { loadTimeoutMs: 700 })
    await expect(pool.open()).rejects.toMatchObject({
      code: 'REEVE_JOBS_UNLOADABLE',
      message: expect.stringContaining('did not load within 700 ms'),
    })
    expect(pool.pool.threadCount()).toBe(0)
  })
})

test('the kinds and their options are known once the first thread has loaded', async () => {
  await using pool = new TestPool('faults.ts', { threads: 2 })
  const catalog = await pool.open()
  expect(catalog).toMatchObject({ nothing: {}, echo: {}, spins: {} })
  await pool.until(() => pool.pool.idleCount() === 2)
})

test('a thread that fails to load later is told and replaced with a growing delay, and gets no job', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-pool-'))
  const counter = join(folder, 'loads')
  writeFileSync(counter, '')
  const delays: number[] = []
  const real = realClock()
  // The load's own bound is 20 s; all other timers of a pool are delays before a load.
  const after = (ms: number, fire: () => void) => {
    if (ms !== 20_000) delays.push(ms)
    return real.after(ms, fire)
  }
  try {
    await using pool = await openPool('broken/first-thread-only.ts', {
      clock: { ...real, after },
      env: { REEVE_TEST_COUNTER: counter },
    })
    const killed = await pool.start('forever')
    await killed.said('here')
    killed.run.terminate()
    const next = await pool.start('load')
    expect(await next.settled()).toMatchObject({ type: 'returned', result: '4' })
    expect(pool.unusable.map(({ message }) => message)).toEqual([
      expect.stringContaining('load 2 fails'),
      expect.stringContaining('load 3 fails'),
    ])
    expect(delays).toEqual([100, 200])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a stray error of the module itself is charged to no job', async () => {
  const pool = new TestPool('broken/throws-in-timer.ts')
  const opened = await pool.open().then(
    () => 'opened',
    (error: Error) => error.message,
  )
  if (opened === 'opened') await pool.until(() => pool.unusable.length > 0)
  await pool.pool.close()
  const told = opened === 'opened' ? pool.unusable[0]?.message : opened
  expect(told).toContain('stray timer of the module')
  expect(pool.lateFaults).toEqual([])
})

test.each(['throw', 'exit'])('threads that cannot even start (%s) fail open, they do not hang it', async (how) => {
  const preload = fileURLToPath(new URL('./jobs/broken/preload.cjs', import.meta.url))
  const pool = new TestPool('faults.ts', { threads: 2, env: { NODE_OPTIONS: `--require=${preload}`, REEVE_TEST_PRELOAD: how } })
  await expect(pool.open()).rejects.toThrow(how === 'throw' ? /broken preload/ : /exit code 9/)
  expect(pool.pool.threadCount()).toBe(0)
})

test.each(['throw', 'exit'])('a pool whose later threads cannot even start (%s) says that it failed', async (how) => {
  const preload = fileURLToPath(new URL('./jobs/broken/preload.cjs', import.meta.url))
  const env: NodeJS.ProcessEnv = { NODE_OPTIONS: `--require=${preload}` }
  const pool = await openPool('faults.ts', { env })
  env['REEVE_TEST_PRELOAD'] = how
  const run = await pool.start('forever')
  run.run.terminate()
  await pool.until(() => pool.failures.length > 0)
  expect(String(pool.failures[0])).toMatch(how === 'throw' ? /broken preload/ : /ended while it started/)
  await pool.pool.close()
})

test('closing while the first thread still loads fails open', async () => {
  const pool = new TestPool('broken/hangs.ts')
  const opened = expect(pool.open()).rejects.toMatchObject({ code: 'REEVE_RUNTIME_CLOSED' })
  await pool.pool.close()
  await opened
  expect(pool.pool.threadCount()).toBe(0)
})
