import { expect, test } from 'vitest'
import { openLanes } from '../../../src/threads/open-lanes.ts'
import { type MakePool, openPool } from '../../support/threads/test-pool.ts'

const lanes: MakePool = (options) => openLanes({ condemnedMax: 1, ...options })

test.each([
  ['hoardsHeap', '32 MB of memory.heapMb'],
  ['hoardsQuickly', '256 MB of memory.heapMb'],
  ['hoardsBuffers', '64 MB of memory.maxExternalMb'],
])('%s: a handler that takes more than its kind may have fails with an error that names the limit', async (kind, limit) => {
  await using pool = await openPool('lanes.ts', { threads: 2 }, lanes)
  const neighbour = await pool.start('forever')
  await neighbour.said('here')
  const run = await pool.start(kind)
  expect(await run.ended()).toMatchObject({
    ...{ type: 'exited', terminated: false },
    error: { code: 'REEVE_THREAD_OUT_OF_MEMORY', message: expect.stringContaining(limit) },
  })
  expect(neighbour.end).toBeNull()
})

test('a thread that keeps too many buffers after a job is replaced, and nobody is charged', async () => {
  await using pool = await openPool('lanes.ts', {}, lanes)
  const first = await pool.start('leaksBuffers')
  expect(await first.settled()).toMatchObject({ type: 'returned', result: 'false' })
  // Nobody tells when it is: the next jobs meet the old thread or the new one.
  let thread = first.run.threadId
  while (thread === first.run.threadId) {
    const next = await pool.start('leaksBuffers')
    await next.ended()
    thread = next.run.threadId
  }
  expect([pool.lateFaults, pool.unusable]).toEqual([[], []])
})
