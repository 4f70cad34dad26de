/** What happens to the jobs of processes that die or are stopped, in real processes. */
import { readdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type jobs from '../support/processes/jobs.ts'
import { restarts, takeOverMs } from '../support/processes/orphans.ts'
import { Peer } from '../support/processes/peer.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'

const jobsUrl = new URL('../support/processes/jobs.ts', import.meta.url)

test('a process that lives starts the job of one that was killed again, without waiting for any lease', async () => {
  const [ms] = await takeOverMs(1)
  expect(ms).toBeLessThan(3_000)
})

test('where nobody else lives, the next start does so at once', async () => {
  const [restart] = await restarts(1)
  expect(restart?.thenMs).toBeLessThan(3_000)
})

test('of processes that were killed nothing is left beside the database once one lives', async () => {
  using scratch = new Scratch()
  for (const _ of [1, 2]) {
    using victim = new Peer(scratch.database)
    await victim.said('open')
    victim.signal('SIGKILL')
    await victim.gone
  }
  const presences = () => readdirSync(scratch.folder).filter((name) => name.includes('-reeve-'))
  // The second one has cleaned up after the first.
  expect(presences()).toHaveLength(1)
  const runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  expect(presences()).toHaveLength(1)
  await runtime.close()
  expect(readdirSync(scratch.folder)).toEqual(['jobs.db'])
})

test('a process that is stopped for longer than its lease is not robbed: that is told of, and it goes on and settles', {
  timeout: 60_000,
}, async () => {
  using scratch = new Scratch()
  const file = scratch.file('go on')
  await using client = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  using worker = new Peer(scratch.database, { threads: 1, leaseDuration: '1s' })
  await worker.said('open')
  const handle = await client.enqueue('untilFile', file)
  await worker.said('started')
  const held = await client.get(handle.id)
  await using other = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(other)
  worker.signal('SIGSTOP')
  const { error } = await events.first(({ name }) => name === 'error')
  expect(error).toMatchObject({ code: 'REEVE_SUPERVISOR_OVERDUE', message: expect.stringMatching(/holds 1 jobs .* is alive/) })
  expect(await client.get(handle.id)).toEqual(held)
  worker.signal('SIGCONT')
  writeFileSync(file, '')
  expect(await handle.result()).not.toBe(process.pid)
  expect(await client.get(handle.id)).toMatchObject({ state: 'completed', attempt: 1, crashes: 0 })
  expect(events.all.filter(({ name }) => name !== 'error')).toEqual([])
})
