import { readdirSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import type { Jobs } from '../../../src/index.ts'
import { EventLog } from '../../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../../support/runtime/open-runtime.ts'
import { startNodePool } from '../../support/threads/node-pool.ts'

const broken = (module: string) => new URL(`../pool/jobs/broken/${module}`, import.meta.url)
const count = (folder: string) => (process.platform === 'linux' ? readdirSync(`/proc/self/${folder}`).length : 0)
afterEach(() => {
  delete process.env['REEVE_TEST_COUNTER']
})

describe('a jobs module that cannot be used fails the start by name, leaves nothing open, and harms no job', () => {
  test.each([
    ['throws.ts', 'REEVE_JOBS_UNLOADABLE', /no database password/],
    ['missing-import.js', 'REEVE_JOBS_UNLOADABLE', /there-is-no-such-file/],
    ['not-there.ts', 'REEVE_JOBS_UNLOADABLE', /not-there\.ts/],
    ['hangs.ts', 'REEVE_JOBS_UNLOADABLE', /did not load within 1500 ms/],
    ['no-default.ts', 'REEVE_JOBS_INVALID', /has no default export; write: export default defineJobs/],
    ['plain-object.ts', 'REEVE_JOBS_INVALID', /is not what defineJobs returns/],
    ['no-run.ts', 'REEVE_JOBS_INVALID', /Kind 'resize' has no run function/],
  ])('%s', async (module, code, message) => {
    using scratch = new Scratch()
    await startNodePool()
    const [threads, handles] = [count('task'), count('fd')]
    const client = await openRuntime<Jobs>(scratch, undefined, { threads: 0 })
    const { id } = await client.enqueue('resize', 1)
    const error = await rejection(openRuntime(scratch, broken(module), { threads: 2, loadTimeout: 1_500 }))
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(await client.get(id)).toMatchObject({ state: 'ready', attempt: 0, claimedAt: null })
    await client.close()
    expect(count('fd')).toBeLessThanOrEqual(handles)
    // The operating system reaps a thread a moment after its exit was told.
    expect(count('task')).toBeLessThanOrEqual(threads + 1)
    expect(readdirSync(scratch.folder)).toEqual(['jobs.db'])
  })
})

test('a module that fails on a later thread is told as an error, and jobs go on once a thread has loaded it', async () => {
  using scratch = new Scratch()
  const counter = scratch.file('loads')
  writeFileSync(counter, '')
  process.env['REEVE_TEST_COUNTER'] = counter
  await using runtime = await openRuntime<Jobs>(scratch, broken('first-thread-only.ts'))
  const events = new EventLog(runtime)
  const stuck = await runtime.enqueue('forever', undefined, { timeout: 50, retry: { attemptsMax: 1 } })
  const waiting = await runtime.enqueue('load')
  expect(await rejection(stuck.result())).toMatchObject({ cause: { code: 'REEVE_ATTEMPT_TIMED_OUT' } })
  expect(await waiting.result()).toBe(4)
  const told = events.all.filter(({ name }) => name === 'error').map(({ error }) => error)
  expect(told).toEqual([
    expect.objectContaining({ code: 'REEVE_JOBS_UNLOADABLE', message: expect.stringContaining('load 2 fails') }),
    expect.objectContaining({ code: 'REEVE_JOBS_UNLOADABLE', message: expect.stringContaining('load 3 fails') }),
  ])
  expect(await runtime.get(waiting.id)).toMatchObject({ attempt: 1, crashes: 0 })
})
