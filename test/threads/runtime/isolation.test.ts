import { expect, test } from 'vitest'
import { EventLog } from '../../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../../support/runtime/open-runtime.ts'
import { gone } from '../../support/threads/processes.ts'
import type jobs from './jobs/isolated.ts'

const jobsUrl = new URL('./jobs/isolated.ts', import.meta.url)

test('a handler that hangs in native code in a child process is over at its timeout, with all that it started', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const begun = performance.now()
  const handle = await runtime.enqueue('hangsInNative', undefined, { timeout: '500ms', retry: { attemptsMax: 1 } })
  expect(await rejection(handle.result())).toMatchObject({ cause: { code: 'REEVE_ATTEMPT_TIMED_OUT' } })
  // The program that it waits for would take a minute.
  expect(performance.now() - begun).toBeLessThan(15_000)
  await gone(Number((await events.of('progress', handle.id)).note))
  expect(await (await runtime.enqueue('onThread', 1)).result()).toBe(1)
})

test.each(['aborts', 'segfaults'] as const)('%s: a crash of native code costs one attempt and nothing else', async (kind) => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { threads: 2 })
  const neighbour = await runtime.enqueue('onThread', 2)
  const handle = await runtime.enqueue(kind, undefined, { retry: { attemptsMax: 2, backoff: { base: 1 } } })
  expect(await handle.result()).toBe('attempt 2')
  expect(await neighbour.result()).toBe(2)
})

test('a program that a handler has spawned is gone when the handler has timed out', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('spawnsAndHangs', undefined, { timeout: '300ms', retry: { attemptsMax: 1 } })
  const { note } = await events.of('progress', handle.id)
  expect(await rejection(handle.result())).toMatchObject({ cause: { code: 'REEVE_ATTEMPT_TIMED_OUT' } })
  await gone(Number(note))
})
