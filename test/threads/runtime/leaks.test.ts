import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EventLog } from '../../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../../support/runtime/open-runtime.ts'
import type jobs from './jobs/faults.ts'

const onLinux = process.platform === 'linux'
const jobsUrl = new URL('./jobs/faults.ts', import.meta.url)
const count = (folder: string) => readdirSync(`/proc/self/${folder}`).length

test.runIf(onLinux)('200 timeouts that end their thread, in a row, leave as many threads and file handles as the first', async () => {
  using scratch = new Scratch()
  const [threadsBefore, handlesBefore] = [count('task'), count('fd')]
  const runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { threads: 2 })
  const events = new EventLog(runtime, ['started', 'retrying', 'discarded'])
  const killed = async (times: number) => {
    const retry = { attemptsMax: times, backoff: { base: 0, max: 0, jitter: 0 } }
    const handle = await runtime.enqueue('spins', undefined, { timeout: 1, retry })
    expect(await rejection(handle.result())).toMatchObject({ attempt: times, cause: { code: 'REEVE_ATTEMPT_TIMED_OUT' } })
  }
  const settled = async () => {
    const both = await runtime.enqueueMany([{ kind: 'resolvesNever' }, { kind: 'resolvesNever' }])
    for (const { id } of both) await events.of('started', id)
    await Promise.all(both.map((handle) => handle.cancel()))
    await (await runtime.enqueue('nothing')).result()
  }
  await killed(1)
  const [threads, handles] = [count('task'), count('fd')]
  await Promise.all([killed(100), killed(100)])
  expect(events.all.filter(({ name }) => name !== 'started')).toHaveLength(201)
  await (await runtime.enqueue('nothing')).result()
  // A thread that is being replaced counts for a moment; a leak would be two hundred.
  expect(count('task')).toBeLessThanOrEqual(threads + 4)
  expect(count('fd')).toBeLessThanOrEqual(handles + 24)
  await runtime.close()
  expect(count('task')).toBeLessThanOrEqual(threadsBefore + 1)
  expect(count('fd')).toBeLessThanOrEqual(handlesBefore + 1)
  void settled
})
