import { expect, test } from 'vitest'
import type { JobsOptions, Runtime } from '../../src/index.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)

/** The ids of all pages. */
async function walk(runtime: Runtime<typeof jobs>, options: JobsOptions): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const page = await runtime.jobs({ ...options, ...(cursor !== null && { cursor }) })
    ids.push(...page.jobs.map(({ id }) => id))
    cursor = page.cursor
  } while (cursor !== null)
  return ids
}

test('jobs are listed by filter and order, page by page', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const done = await runtime.enqueue('echo', 1)
  await done.result()
  const dead = await runtime.enqueue('succeedsAt', { attempt: 2 }, { retry: { attemptsMax: 1 } })
  await rejection(dead.result())
  const later = await runtime.enqueueMany(
    [2, 3, 4].map((input) => ({ kind: 'echo' as const, input, options: { delay: '1h' as const } })),
  )
  const ids = [done, dead, ...later].map(({ id }) => id)
  expect(await walk(runtime, { order: 'oldest', limit: 2 })).toEqual(ids)
  expect(await walk(runtime, { limit: 3 })).toEqual(ids.toReversed())
  expect(await walk(runtime, { filter: { kinds: ['echo'], states: ['ready'] }, limit: 1 })).toEqual(ids.slice(2).toReversed())
  expect(await walk(runtime, { order: 'ended' })).toEqual([dead.id, done.id])
})

test('a listed job is what get shows, without its input and result unless they are asked for', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const { id } = await runtime.enqueue('echo', { at: new Date(7) })
  await (await runtime.handle(id)).result()
  const shown = await runtime.get(id)
  expect((await runtime.jobs({ payloads: true })).jobs).toEqual([shown])
  expect((await runtime.jobs()).jobs).toEqual([{ ...shown, input: undefined, result: undefined }])
})

test('jobs are counted by kind and queue', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  await runtime.enqueue('echo', 1)
  await runtime.enqueue('echo', 1, { queue: 'mail' })
  await (await runtime.enqueue('echo', 1, { queue: 'mail' })).cancel()
  await runtime.enqueue('nothing')
  const counted = (await runtime.countsByKind()).map(({ kind, queue, counts }) => [kind, queue, counts.ready, counts.cancelled])
  expect(counted.toSorted()).toEqual([
    ['echo', 'default', 1, 0],
    ['echo', 'mail', 1, 1],
    ['nothing', 'default', 1, 0],
  ])
})

test('wrong options of a list are refused by name, and so is the cursor of another order', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  await runtime.enqueueMany([1, 2].map((input) => ({ kind: 'echo' as const, input })))
  const { cursor } = await runtime.jobs({ limit: 1 })
  for (const [option, options] of [
    ['order', { order: 'fastest' }],
    ['limit', { limit: 1_001 }],
    ['cursor', { cursor: 'page 2' }],
    ['cursor', { cursor, order: 'oldest' }],
    ['payloads', { payloads: 'yes' }],
    ['filter.states', { filter: { states: ['done'] } }],
  ] as const) {
    const { code, message } = await rejection(runtime.jobs(options as never))
    expect([code, message]).toEqual(['REEVE_OPTION_INVALID', expect.stringContaining(`'${option}'`)])
  }
})
