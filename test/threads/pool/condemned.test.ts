import { mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { realClock } from '../../../src/clock.ts'
import { openLanes } from '../../../src/threads/open-lanes.ts'
import { openPool, type RecordedRun, type TestPool } from '../../support/threads/test-pool.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reeve-condemned-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = (threads: number, condemnedMax: number) =>
  openPool('condemned.ts', { threads }, (options) => openLanes({ ...options, condemnedMax }))

/** A run inside a native call that ends when `letGo` is called for it. */
async function stuck(pool: TestPool, name: string): Promise<RecordedRun> {
  const run = await pool.start('stuck', join(folder, name))
  await new Promise<void>((resolve) => {
    const marks = watch(folder, (_event, file) => {
      if (file !== `${name}.started`) return
      marks.close()
      resolve()
    })
  })
  run.run.terminate()
  return run
}

const clock = realClock()

/** So much later that a close that waits for nothing would be over. */
async function nextTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => clock.nextTurn(resolve))
}

const letGo = (name: string) => writeFileSync(join(folder, `${name}.go`), '')

test('a condemned thread is replaced, and its run is over when it has exited at last', async () => {
  await using pool = await open(1, 1)
  const run = await stuck(pool, 'a')
  expect(pool.pool.idleCount()).toBe(0)
  run.run.condemn()
  run.run.condemn()
  expect(pool.condemned).toEqual([])
  await pool.until(() => pool.condemned.length > 0)
  expect(pool.condemned).toEqual([{ condemned: 1, capReached: false }])
  const next = await pool.start('nothing')
  expect(await next.settled()).toMatchObject({ type: 'returned' })
  expect([run.end, pool.pool.condemnedCount(), pool.pool.threadCount()]).toEqual([null, 1, 2])
  letGo('a')
  expect(await run.ended()).toMatchObject({ type: 'exited', terminated: true })
  expect([pool.pool.condemnedCount(), pool.pool.threadCount(), pool.pool.idleCount()]).toEqual([0, 1, 1])
  await pool.until(() => pool.condemned.length > 1)
  expect(pool.condemned.at(-1)).toEqual({ condemned: 0, capReached: false })
})

test('past the cap a condemned thread is not replaced, and it is told; when one exits there is a thread again', async () => {
  await using pool = await open(1, 1)
  const first = await stuck(pool, 'a')
  first.run.condemn()
  const second = await stuck(pool, 'b')
  second.run.condemn()
  await pool.until(() => pool.condemned.length > 1)
  expect(pool.condemned.at(-1)).toEqual({ condemned: 2, capReached: true })
  expect([pool.pool.threadCount(), pool.pool.idleCount()]).toEqual([2, 0])
  letGo('b')
  await second.ended()
  await pool.until(() => pool.condemned.length > 2)
  expect(pool.condemned.at(-1)).toEqual({ condemned: 1, capReached: false })
  await (await pool.start('nothing')).settled()
  expect(pool.pool.threadCount()).toBe(2)
  letGo('a')
  await first.ended()
})

test('a neighbour that dies while a thread is condemned is replaced as well', async () => {
  await using pool = await open(2, 1)
  const run = await stuck(pool, 'a')
  run.run.condemn()
  await pool.until(() => pool.pool.idleCount() === 2)
  const dies = await pool.start('exits')
  await dies.ended()
  await pool.until(() => pool.pool.idleCount() === 2)
  expect(pool.pool.threadCount()).toBe(3)
  letGo('a')
  await run.ended()
})

test('a condemn that comes after the run is over does not meet the next run of that thread', async () => {
  await using pool = await open(1, 1)
  const first = await pool.start('nothing')
  await first.ended()
  const second = await pool.start('nothing')
  first.run.condemn()
  expect(await second.settled()).toMatchObject({ type: 'returned' })
  expect(second.end).toEqual({ type: 'done' })
  expect(pool.condemned).toEqual([])
})

test('closing waits for a condemned thread, unless it is told to leave it', async () => {
  const pool = await open(1, 1)
  const run = await stuck(pool, 'a')
  const closing = pool.pool.close()
  run.run.condemn()
  const first = await Promise.race([closing.then(() => 'closed'), nextTurns(20).then(() => 'still closing')])
  expect(first).toBe('still closing')
  await pool.pool.close({ leaveCondemned: true })
  await closing
  expect([run.end, pool.pool.condemnedCount()]).toEqual([null, 1])
  letGo('a')
  expect(await run.ended()).toMatchObject({ type: 'exited', terminated: true })
  expect(pool.pool.threadCount()).toBe(0)
})
