import { expect, test } from 'vitest'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/environment.ts'

const jobsUrl = new URL('./jobs/environment.ts', import.meta.url)

test('variables that are missing are told once at the start, and burn no attempt of a job', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { threads: 2 })
  const log = new EventLog(runtime)
  const told = /^The environment of kind 'lacks' is not valid: REEVE_TEST_TOKEN: .*; REEVE_TEST_URL: /
  expect((await log.first(({ name }) => name === 'error')).error).toMatchObject({
    code: 'REEVE_ENV_INVALID',
    kind: 'lacks',
    message: expect.stringMatching(told),
  })
  const handles = [await runtime.enqueue('lacks'), await runtime.enqueue('lacks')]
  for (const { id } of handles) {
    expect((await log.of('interrupted', id)).error).toMatchObject({ code: 'REEVE_ENV_INVALID' })
    expect(await runtime.get(id)).toMatchObject({ state: 'ready', attempt: 0 })
  }
  // Both threads are up once both have run something: each has found out the same.
  const threads = new Set<number>()
  while (threads.size < 2) {
    const pair = await Promise.all([runtime.enqueue('has'), runtime.enqueue('has')])
    for (const handle of pair) threads.add(await handle.result())
  }
  expect(log.all.filter(({ name }) => name === 'error')).toHaveLength(1)
})
