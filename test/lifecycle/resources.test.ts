import { once } from 'node:events'
import { expect, test } from 'vitest'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/resources.ts'

const jobsUrl = new URL('./jobs/resources.ts', import.meta.url)

test('a handler has what its kind has set up, in a process of its own too', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  expect(await (await runtime.enqueue('looksUp', 'b')).result()).toBe(2)
  expect(await (await runtime.enqueue('looksUpInAProcess', 'a')).result()).toBe(1)
})

test('a setup that fails is told, and burns no attempt of a job', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const told = new EventTarget()
  const codes: string[] = []
  runtime.on('error', ({ error }) => void codes.push((error as { code?: string }).code ?? error.message))
  runtime.on('interrupted', () => void told.dispatchEvent(new Event('put-back')))
  const putBack = once(told, 'put-back')
  const { id } = await runtime.enqueue('cannotOpen')
  await putBack
  expect(await runtime.get(id)).toMatchObject({ state: 'ready', attempt: 0, error: { code: 'REEVE_SETUP_FAILED' } })
  expect(codes).toEqual(['REEVE_SETUP_FAILED'])
})
