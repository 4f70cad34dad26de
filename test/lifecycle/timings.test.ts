import { expect, test } from 'vitest'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/timings.ts'

const jobsUrl = new URL('./jobs/timings.ts', import.meta.url)

test.each(['times', 'timesInAProcess'] as const)(
  'the stretches that a handler times are kept with its attempt, in the order in which they began: %s',
  async (kind) => {
    using scratch = new Scratch()
    await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
    const handle = await runtime.enqueue(kind)
    expect(await handle.result()).toBe(43)
    const [attempt, ...others] = await runtime.attempts(handle.id)
    expect(others).toEqual([])
    const { timings = [] } = attempt ?? {}
    expect(timings.map(({ label }) => label)).toEqual(['until ended', 'a block', 'a promise', 'a function'])
    const [whole, block, promise] = timings
    for (const { startMs, durationMs } of timings) expect(Math.min(startMs, durationMs ?? -1)).toBeGreaterThanOrEqual(0)
    expect(block?.durationMs).toBeGreaterThanOrEqual(4)
    expect(promise?.startMs).toBeGreaterThanOrEqual((block?.startMs ?? 0) + (block?.durationMs ?? 0))
    expect(whole?.durationMs).toBeGreaterThanOrEqual((block?.durationMs ?? 0) + (promise?.durationMs ?? 0))
  },
)

test('each attempt has its own timings, and those of a function that throws have an end', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const handle = await runtime.enqueue('throws')
  await rejection(handle.result())
  const once = { timings: [{ label: 'throws', startMs: expect.any(Number), durationMs: expect.any(Number) }] }
  expect(await runtime.attempts(handle.id)).toMatchObject([once, once])
})

test('a handler that was ended for its timeout shows by its open timing where it hung', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const handle = await runtime.enqueue('hangs')
  await rejection(handle.result())
  expect(await runtime.attempts(handle.id)).toMatchObject([
    { timings: [{ label: 'before' }, { label: 'endless loop', durationMs: null }] },
  ])
})

test('the first hundred timings of an attempt are kept', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const handle = await runtime.enqueue('timesALot', 103)
  await handle.result()
  const [attempt] = await runtime.attempts(handle.id)
  expect(attempt?.timings).toHaveLength(100)
  expect(attempt?.timings.at(-1)).toMatchObject({ label: 'turn 99', durationMs: expect.any(Number) })
})

test('a handler in the app times its parts as one on a worker does', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime(scratch, undefined, { threads: 0 })
  const { id } = await runtime.enqueue('visit', undefined, { queue: 'pages' })
  await runtime.queue('pages').work((_input, { timing }) => timing('visits', () => 7), { until: 'empty' })
  expect(await runtime.attempts(id)).toMatchObject([{ outcome: 'complete', timings: [{ label: 'visits' }] }])
})
