import { expect, test } from 'vitest'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import { SupervisorThreads } from '../support/runtime/supervisor-threads.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)

test('a runtime counts how its attempts ended and measures how long they ran', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const begun = Date.now()
  await runtime.call('echo', 1)
  await runtime.call('succeedsAt', { attempt: 3 })
  await rejection(runtime.call('succeedsAt', { attempt: 2 }, { retry: { attemptsMax: 1 } }))
  const { kinds, ...stats } = await runtime.stats()
  expect(stats).toMatchObject({
    since: expect.toSatisfy((at: number) => Math.abs(at - begun) < 60_000),
    restarts: 0,
    condemned: 0,
    total: { completed: 2, failed: 3, retried: 2, discarded: 1, cancelled: 0, runTime: { count: 5 } },
  })
  expect(stats.completedPerSecond).toBeGreaterThan(0)
  expect(kinds['succeedsAt']).toMatchObject({ completed: 1, failed: 3, waitTime: { count: 4 } })
  expect(kinds['succeedsAt']?.runTime.p50).toBeGreaterThan(0)
})

test('the backlog is counted, and how late its oldest job is', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  expect(await runtime.oldestReadyAge()).toBe(0)
  await runtime.enqueue('echo', 1, { runAt: Date.now() - 60_000, queue: 'mail' })
  await runtime.enqueue('echo', 1, { delay: '1h' })
  expect(await runtime.depth()).toEqual({ due: 1, scheduled: 1, running: 0 })
  expect(await runtime.depth('default')).toEqual({ due: 0, scheduled: 1, running: 0 })
  expect(await runtime.oldestReadyAge('default')).toBe(0)
  expect(await runtime.oldestReadyAge('mail')).toBeGreaterThanOrEqual(60_000)
})

test('a restart of the supervisor thread is counted, and the figures begin anew', async () => {
  using threads = new SupervisorThreads()
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  await runtime.call('echo', 1)
  await threads.killLatest()
  await events.first(({ name }) => name === 'restarted')
  expect(await runtime.stats()).toMatchObject({ restarts: 1, total: { completed: 0 } })
})
