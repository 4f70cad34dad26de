import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { watch } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decodePayload } from '../../../src/job/payload.ts'
import { openPool } from '../../support/threads/test-pool.ts'

test.each(['forever', 'spins'])(
  '%s: a handler that never ends is over once its thread has exited, and the next job gets a new thread',
  async (kind) => {
    await using pool = await openPool('faults.ts')
    const run = await pool.start(kind)
    await run.said('here')
    run.run.terminate()
    run.run.terminate()
    expect(run.end).toBeNull()
    expect(await run.ended()).toEqual({ type: 'exited', exitCode: 1, error: null, terminated: true })
    expect(run.outcomes).toEqual([])
    const next = await pool.start('nothing')
    expect(await next.settled()).toMatchObject({ type: 'returned' })
    expect(next.run.threadId).not.toBe(run.run.threadId)
    expect(pool.lateFaults).toEqual([])
  },
)

test('a thread inside a native call is over only when that call has returned', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-native-'))
  await using pool = await openPool('faults.ts')
  const marks = watch(folder)
  const run = await pool.start('native', folder)
  // A synchronous call of another program: the thread cannot be ended before that program is.
  for await (const { filename } of marks) if (filename === 'started') break
  run.run.terminate()
  expect(existsSync(join(folder, 'done'))).toBe(false)
  await run.ended()
  expect(existsSync(join(folder, 'done'))).toBe(true)
  expect(run.told).toEqual(['over'])
  rmSync(folder, { recursive: true })
})

test.each([
  ['exits', 0],
  ['exitsWith3', 3],
])('%s: a handler that calls process.exit ends its thread only, and the run is told the exit code', async (kind, exitCode) => {
  await using pool = await openPool('faults.ts')
  const run = await pool.start(kind)
  expect(await run.ended()).toEqual({ type: 'exited', exitCode, error: null, terminated: false })
  expect(run.outcomes).toEqual([])
})

test('a result that was posted just before process.exit wins', async () => {
  await using pool = await openPool('faults.ts')
  const outcome = await (await pool.start('exitsAfterReturning')).settled()
  expect(outcome.type === 'returned' && decodePayload(outcome.result)).toBe('made it')
})

test('a result that is already in when the thread is told to die is told, but the run is over at the exit only', async () => {
  await using pool = await openPool('faults.ts')
  const run = await pool.start('nothing')
  // This thread hears nothing for a while, and the handler is long done then.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  run.run.terminate()
  expect(await run.settled()).toMatchObject({ type: 'returned' })
  expect(run.end).toMatchObject({ type: 'exited', terminated: true })
})

test('a handler that fills the heap ends its thread with an error that says so', async () => {
  await using pool = await openPool('faults.ts', { resourceLimits: { maxOldGenerationSizeMb: 32 } })
  const run = await pool.start('hoards')
  const end = await run.ended()
  expect(end).toMatchObject({
    type: 'exited',
    terminated: false,
    error: { code: 'REEVE_THREAD_OUT_OF_MEMORY', message: expect.stringContaining('32 MB') },
  })
  expect(await (await pool.start('nothing')).settled()).toMatchObject({ type: 'returned' })
})

test('a terminate that comes after the run is over does not meet the next run of that thread', async () => {
  await using pool = await openPool('faults.ts')
  const first = await pool.start('nothing')
  await first.ended()
  const startedAt = first.run.startedAt() ?? Number.NaN
  const second = await pool.start('forever')
  first.run.terminate()
  first.run.requestStop('cancel')
  await second.said('here')
  // A run that is over keeps its own start, for the history, and takes none of the next run's.
  expect([first.run.startedAt(), second.run.threadId]).toEqual([startedAt, first.run.threadId])
  expect(second.run.startedAt()).toBeGreaterThan(startedAt)
  second.run.terminate()
  expect(await second.ended()).toMatchObject({ terminated: true })
})

test('the clock of a run starts with its handler', async () => {
  await using pool = await openPool('faults.ts')
  const before = Number(process.hrtime.bigint()) / 1e6
  const run = await pool.start('forever')
  expect(run.run.startedAt()).toBeNull()
  await run.said('here')
  expect(run.run.startedAt()).toBeGreaterThanOrEqual(before)
  expect(run.run.startedAt()).toBeLessThanOrEqual(Number(process.hrtime.bigint()) / 1e6)
})

test('closing the pool ends the runs that are left, tells them, and leaves no thread', async () => {
  const pool = await openPool('faults.ts', { threads: 2 })
  const runs = [await pool.start('forever'), await pool.start('spins')]
  await Promise.all(runs.map((run) => run.said('here')))
  expect(pool.pool.threadCount()).toBe(2)
  await pool[Symbol.asyncDispose]()
  expect(runs.map((run) => run.end)).toMatchObject([
    { type: 'exited', terminated: true },
    { type: 'exited', terminated: true },
  ])
  expect([pool.pool.threadCount(), pool.pool.idleCount()]).toEqual([0, 0])
})
