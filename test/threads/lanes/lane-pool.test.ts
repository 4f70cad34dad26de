import { expect, test } from 'vitest'
import { decodePayload } from '../../../src/job/payload.ts'
import { openLanes } from '../../../src/threads/open-lanes.ts'
import { ManualTimers } from '../../support/threads/manual-timers.ts'
import { gone } from '../../support/threads/processes.ts'
import { type MakePool, openPool, type RecordedRun } from '../../support/threads/test-pool.ts'

const lanes: MakePool = (options) => openLanes({ condemnedMax: options.threads, ...options })

async function result(run: RecordedRun): Promise<unknown> {
  const outcome = await run.settled()
  return outcome.type === 'returned' ? decodePayload(outcome.result) : outcome
}

test('a kind with limits of its own runs on a thread that no other kind uses, and uses it again', async () => {
  await using pool = await openPool('lanes.ts', { threads: 2 }, lanes)
  const common = (await result(await pool.start('threadOf'))) as { heapMb: number }
  const first = await pool.start('roomy')
  const own = (await result(first)) as { heapMb: number; stackMb: number }
  expect(own).toMatchObject({ heapMb: 96, stackMb: 8 })
  expect(common.heapMb).not.toBe(96)
  expect(await result(await pool.start('roomy'))).toEqual(own)
})

test('a run that comes before its lane has a thread waits, and the bound on its start does not count meanwhile', async () => {
  await using pool = await openPool('lanes.ts', {}, lanes)
  const run = await pool.start('roomy')
  expect([run.run.handedAt(), run.run.startedAt()]).toEqual([null, null])
  const before = Number(process.hrtime.bigint()) / 1e6
  await result(run)
  expect(run.run.handedAt()).toBeGreaterThan(before)
})

test('no more runs than threads start at once, whatever their lanes', async () => {
  await using pool = await openPool('lanes.ts', { threads: 3 }, lanes)
  await pool.until(() => pool.pool.idleCount() === 3)
  const runs = [await pool.start('forever'), await pool.start('roomyForever'), await pool.start('processForever')]
  expect(pool.pool.idleCount()).toBe(0)
  await Promise.all(runs.map((run) => run.said('here')))
  expect(pool.pool.idleCount()).toBe(0)
  for (const run of runs) run.run.terminate()
  await Promise.all(runs.map((run) => run.ended()))
  await pool.until(() => pool.pool.idleCount() === 3)
})

test('a run that is told to end while it waits is over without a thread', async () => {
  await using pool = await openPool('lanes.ts', {}, lanes)
  const run = await pool.start('roomy')
  run.run.requestStop('cancel')
  run.run.terminate()
  run.run.terminate()
  expect(run.end).toBeNull()
  expect(await run.ended()).toMatchObject({ type: 'exited', terminated: true })
  expect(run.told).toEqual(['over'])
  await pool.until(() => pool.pool.idleCount() === 1)
})

test('a stop that comes while a run waits is heard once it has started', async () => {
  await using pool = await openPool('lanes.ts', {}, lanes)
  const run = await pool.start('roomyStops')
  run.run.requestStop('cancel')
  expect(await result(run)).toBe('stopped')
})

test('a job whose lane cannot load goes back uncharged with the reason, and other kinds go on', async () => {
  await using pool = await openPool('lanes.ts', { env: { ...process.env, REEVE_TEST_LANE: 'broken' } }, lanes)
  const run = await pool.start('broken')
  expect(await run.failed('unknown-kind')).toMatchObject({ message: expect.stringContaining('no room for this kind') })
  expect(await result(await pool.start('threadOf'))).toBeTypeOf('object')
})

test('a lane that nothing has used for long is closed, and opens again for the next job', async () => {
  const timers = new ManualTimers(77_000)
  await using pool = await openPool('lanes.ts', { clock: timers.clock }, (options) =>
    openLanes({ condemnedMax: 1, laneIdleMs: 77_000, ...options }),
  )
  await pool.until(() => pool.pool.idleCount() === 1)
  const threads = pool.pool.threadCount()
  const first = await pool.start('roomy')
  await result(first)
  expect(pool.pool.threadCount()).toBe(threads + 1)
  timers.fire()
  await timers.until(() => pool.pool.threadCount() === threads)
  const second = await pool.start('roomy')
  await result(second)
  expect(second.run.threadId).not.toBe(first.run.threadId)
})

test('a child process is started ahead, and stays when its lane was idle for long', async () => {
  const timers = new ManualTimers(77_000)
  await using pool = await openPool('lanes.ts', { clock: timers.clock }, (options) =>
    openLanes({ condemnedMax: 1, laneIdleMs: 77_000, ...options }),
  )
  // One common thread, and one child for each of the two kinds.
  expect(pool.pool.threadCount()).toBe(3)
  const first = await pool.start('processEcho', 1)
  await result(first)
  timers.fire()
  const second = await pool.start('processEcho', 2)
  await result(second)
  expect(second.run.pid).toBe(first.run.pid)
})

test('closing ends what runs in every lane and what waits, and leaves nothing', async () => {
  const pool = await openPool('lanes.ts', { threads: 3 }, lanes)
  await pool.until(() => pool.pool.idleCount() === 3)
  const runs = [await pool.start('processForever'), await pool.start('roomyForever')]
  await Promise.all(runs.map((run) => run.said('here')))
  runs.push(await pool.start('roomy'))
  await pool.pool.close()
  expect(await Promise.all(runs.map((run) => run.ended()))).toMatchObject(runs.map(() => ({ type: 'exited', terminated: true })))
  expect([pool.pool.threadCount(), pool.pool.idleCount()]).toEqual([0, 0])
  await gone(runs[0]?.run.pid as number)
})
