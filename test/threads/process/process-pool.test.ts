import { expect, test } from 'vitest'
import { realClock } from '../../../src/clock.ts'
import { decodePayload } from '../../../src/job/payload.ts'
import type { PoolOptions } from '../../../src/threads/piscina-pool.ts'
import { ProcessPool, type ProcessPoolOptions } from '../../../src/threads/process-pool.ts'
import { childrenOf, gone, isAlive } from '../../support/threads/processes.ts'
import { openPool, type RecordedRun } from '../../support/threads/test-pool.ts'

const clock = realClock()

const open = (options: Partial<ProcessPoolOptions> = {}) =>
  openPool('processes.ts', options as Partial<PoolOptions>, (all) => new ProcessPool({ ...all, ...options }))

async function result(run: RecordedRun): Promise<unknown> {
  const outcome = await run.settled()
  return outcome.type === 'returned' ? decodePayload(outcome.result) : outcome
}

test('a handler runs in another process, which is used again for the next job', async () => {
  await using pool = await open()
  const first = await pool.start('whoAmI')
  const ids = (await result(first)) as { pid: number; parent: number }
  expect(ids.parent).toBe(process.pid)
  expect(ids.pid).not.toBe(process.pid)
  expect([first.run.pid, first.run.threadId]).toEqual([ids.pid, ids.pid])
  expect(first.end).toEqual({ type: 'done' })
  expect(await result(await pool.start('whoAmI'))).toEqual(ids)
})

test('inputs and results cross as they are', async () => {
  await using pool = await open()
  const value = {
    at: new Date(5),
    big: 7n,
    bytes: new Uint8Array([1, 2]),
    list: [undefined, Number.NaN],
    map: new Map([[1, 'a']]),
  }
  expect(await result(await pool.start('echo', value))).toEqual(value)
})

test.each([
  ['aborts', 'SIGABRT', 134],
  ['segfaults', 'SIGSEGV', 139],
])(
  '%s: a child that crashes costs one attempt, with an error that says how, and the next job gets a new one',
  async (kind, signal, exitCode) => {
    await using pool = await open({ threads: 2 })
    const neighbour = await pool.start('forever')
    await neighbour.said('here')
    const run = await pool.start(kind)
    expect(await run.ended()).toMatchObject({
      ...{ type: 'exited', exitCode, terminated: false },
      error: { code: 'REEVE_THREAD_EXITED', message: expect.stringContaining(signal) },
    })
    expect(run.outcomes).toEqual([])
    expect(await result(await pool.start('echo', 1))).toBe(1)
    expect(neighbour.end).toBeNull()
  },
)

test.each(['hangsInNative', 'spins'])('%s: a child is ended at once whatever it does, with all that it started', async (kind) => {
  await using pool = await open()
  const run = await pool.start(kind)
  await run.until(() => run.notes.length > 0)
  const pid = Number(run.notes[0])
  let inner: number[] = []
  // The call of the program follows the note.
  while (kind === 'hangsInNative' && inner.length === 0) inner = await childrenOf(pid)
  run.run.terminate()
  expect(await run.ended()).toEqual({ type: 'exited', exitCode: 137, error: null, terminated: true })
  expect(isAlive(pid)).toBe(false)
  await Promise.all(inner.map(gone))
  expect(await result(await pool.start('echo', 2))).toBe(2)
})

test('a process that a handler started by itself dies with the child', async () => {
  await using pool = await open()
  const run = await pool.start('spawnsByItself')
  await run.until(() => run.notes.length > 0)
  run.run.terminate()
  await run.ended()
  await gone(Number(run.notes[0]))
})

test('a stop reaches code that awaits, and the clock starts with the handler', async () => {
  await using pool = await open()
  const before = Number(process.hrtime.bigint()) / 1e6
  const run = await pool.start('waitsForSignal')
  expect(run.run.startedAt()).toBeNull()
  await run.said('waiting')
  expect(run.run.startedAt()).toBeGreaterThan(before)
  run.run.requestStop('cancel')
  expect(await run.failed()).toMatchObject({ code: 'REEVE_ATTEMPT_STOPPED', message: expect.stringContaining('cancelled') })
})

test('a child that closes its channel is ended, because it can say nothing any more', async () => {
  await using pool = await open()
  const run = await pool.start('disconnects')
  expect(await run.ended()).toMatchObject({ type: 'exited' })
  expect(isAlive(run.run.threadId)).toBe(false)
})

test.runIf(process.platform === 'linux')(
  'a child that grows past its memory limit is killed, and the error says so',
  async () => {
    await using pool = await open({ rssMb: 160 })
    const run = await pool.start('hoardsBytes')
    expect(await run.ended()).toMatchObject({
      ...{ type: 'exited', terminated: false },
      error: { code: 'REEVE_THREAD_OUT_OF_MEMORY', message: expect.stringContaining('160 MB of memory.rssMb') },
    })
  },
)

test('a child is on record before it can have a job, and off it once it is gone', async () => {
  const told: string[] = []
  const children = {
    async childStarted({ pid, startTime }: { readonly pid: number; readonly startTime: string | null }) {
      // Longer than a child takes to load, had it been told to.
      await new Promise<void>((resolve) => clock.after(1_500, resolve))
      told.push(`started ${pid} ${startTime === null ? 'at no time' : 'in time'}`)
    },
    childEnded: (pid: number) => void told.push(`ended ${pid}`),
  }
  const pool = await open({ children })
  told.push('loaded')
  const run = await pool.start('whoAmI')
  await run.ended()
  await pool.pool.close()
  expect(told).toEqual([`started ${run.run.pid} in time`, 'loaded', `ended ${run.run.pid}`])
})

test('closing the pool leaves no process', async () => {
  const pool = await open({ threads: 2 })
  const run = await pool.start('spins')
  await run.until(() => run.notes.length > 0)
  await pool.pool.close()
  expect(run.end).toMatchObject({ type: 'exited', terminated: true })
  expect(pool.pool.threadCount()).toBe(0)
  expect(isAlive(run.run.threadId)).toBe(false)
})
