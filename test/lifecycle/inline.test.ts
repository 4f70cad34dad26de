import { threadId } from 'node:worker_threads'
import { expect, test } from 'vitest'
import type { JobContext, Runtime } from '../../src/index.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/keeps.ts'

const jobsUrl = new URL('./jobs/keeps.ts', import.meta.url)
const pages = { queue: 'pages' } as const

/** A runtime that runs nothing by itself. */
const open = (scratch: Scratch) => openRuntime(scratch, undefined, { threads: 0, stopGrace: '100ms' })

async function enqueue(runtime: Runtime, inputs: readonly unknown[], options = {}) {
  return runtime.enqueueMany(inputs.map((input) => ({ kind: 'visit', input, options: { ...pages, ...options } })))
}

test('jobs of a queue run in the app, with what lives there, and their results are theirs', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const window = new Map<string, number>()
  const handles = await enqueue(runtime, ['a', 'b'])
  const [other] = await enqueue(runtime, ['not here'], { queue: 'other' })
  const summary = await runtime.queue('pages').work(
    (input, ctx) => {
      window.set(String(input), threadId)
      return { kind: ctx.job.kind, at: new Date(7) }
    },
    { until: 'empty' },
  )
  const counts = { done: 2, failed: 0, dead: 0, cancelled: 0, released: 0, remaining: 0 }
  expect(summary).toEqual({ ...counts, stoppedGroups: [], endedBecause: 'empty' })
  expect([...window]).toEqual([
    ['a', threadId],
    ['b', threadId],
  ])
  expect(await handles[0]?.result()).toEqual({ kind: 'visit', at: new Date(7) })
  expect(await runtime.get(other?.id ?? '')).toMatchObject({ state: 'ready' })
})

test('no more run at once than it is to, and no more in all', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  await enqueue(runtime, [1, 2, 3, 4, 5, 6, 7])
  let [atWork, most, begun] = [0, 0, 0]
  const two = Promise.withResolvers<void>()
  const summary = await runtime.queue('pages').work(
    async () => {
      most = Math.max(most, ++atWork)
      if (++begun === 2) two.resolve()
      await two.promise
      atWork--
    },
    { concurrency: 2, max: 5 },
  )
  expect(summary).toMatchObject({ done: 5, remaining: 2, endedBecause: 'max' })
  expect(most).toBe(2)
})

test('with more slots than jobs that it may run it takes no job too many', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  await enqueue(runtime, [1, 2, 3, 4])
  const summary = await runtime.queue('pages').work(() => undefined, { concurrency: 4, max: 3 })
  expect(summary).toMatchObject({ done: 3, released: 0, remaining: 1, endedBecause: 'max' })
})

test('what fails is tried again, and is a dead letter in the end', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const retry = { retry: { attemptsMax: 2, backoff: { base: 0 } } }
  const [flaky, lost] = await enqueue(runtime, ['flaky', 'lost'], retry)
  const summary = await runtime.queue('pages').work(
    (input, ctx) => {
      if (input === 'lost' || ctx.attempt === 1) throw new RangeError('no page')
      return ctx.attempt
    },
    { max: 4 },
  )
  expect(summary).toMatchObject({ done: 1, failed: 2, dead: 1, endedBecause: 'max' })
  expect(await flaky?.result()).toBe(2)
  expect((await rejection(lost?.result() as Promise<unknown>)).code).toBe('REEVE_JOB_DISCARDED')
})

test('a consumer with a handler a kind puts other kinds back', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  await runtime.enqueue('visit', 1, pages)
  const stranger = await runtime.enqueue('stranger', 2, pages)
  const summary = await runtime.queue('pages').work({ visit: (input) => input }, { until: 'empty' })
  expect(summary).toMatchObject({ done: 1, released: 1, remaining: 1 })
  expect(await runtime.get(stranger.id)).toMatchObject({ state: 'ready', attempt: 0, error: { code: 'REEVE_KIND_UNKNOWN' } })
})

test('at its timeout a handler is only asked, and the job is its until it returns', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const options = { timeout: '30ms', retry: { attemptsMax: 2, backoff: { base: 0 } } }
  const [handle] = await enqueue(runtime, ['slow'], options)
  let atWork = 0
  const asked = Promise.withResolvers<JobContext<undefined>>()
  const goOn = Promise.withResolvers<void>()
  const work = runtime.queue('pages').work(
    async (_input, ctx) => {
      if (ctx.attempt === 2) return atWork
      atWork++
      ctx.signal.addEventListener('abort', () => asked.resolve(ctx))
      await goOn.promise
      atWork--
      throw new Error('ended at last')
    },
    { concurrency: 3, max: 2 },
  )
  const ctx = await asked.promise
  expect([ctx.stopRequested, ctx.signal.reason.code]).toEqual([true, 'REEVE_ATTEMPT_STOPPED'])
  expect(await runtime.get(handle?.id ?? '')).toMatchObject({ state: 'running', attempt: 1 })
  goOn.resolve()
  // No handler of it was at work when the second attempt began.
  expect(await handle?.result()).toBe(0)
  expect(await work).toMatchObject({ done: 1, failed: 1, endedBecause: 'max' })
})

test('a cancel is told by the signal', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const [handle] = await enqueue(runtime, ['a'])
  const here = Promise.withResolvers<void>()
  const work = runtime.queue('pages').work(
    (_input, ctx) =>
      new Promise((_, reject) => {
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
        here.resolve()
      }),
    { max: 1 },
  )
  await here.promise
  await handle?.cancel()
  expect(await work).toMatchObject({ cancelled: 1, endedBecause: 'max' })
  expect(await runtime.get(handle?.id ?? '')).toMatchObject({ state: 'cancelled' })
})

test('an aborted signal ends it once its handlers have returned; what they were at is given back', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const [first] = await enqueue(runtime, ['a', 'b'])
  const controller = new AbortController()
  const work = runtime.queue('pages').work(
    async (_input, ctx) => {
      controller.abort()
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
      throw ctx.signal.reason
    },
    { signal: controller.signal },
  )
  expect(await work).toMatchObject({ released: 1, remaining: 2, endedBecause: 'signal' })
  expect(await runtime.get(first?.id ?? '')).toMatchObject({ state: 'ready', attempt: 0 })
  const again = runtime.queue('pages').work(() => 1, { signal: controller.signal })
  expect(await again).toMatchObject({ done: 0, endedBecause: 'signal' })
})

test('it ends when its time is up, and new jobs are taken until then', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const work = runtime.queue('pages').work((input) => input, { until: '300ms' })
  const [handle] = await enqueue(runtime, ['late'])
  expect(await handle?.result()).toBe('late')
  expect(await work).toMatchObject({ done: 1, endedBecause: 'until' })
})

test('its resource is made before the first job and unmade after the last', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  await enqueue(runtime, [1, 2])
  const said: string[] = []
  await runtime.queue('pages').work<{ tab: number }>((input, { resource }) => void said.push(`${input} in ${resource.tab}`), {
    until: 'empty',
    worker: {
      setup: async () => ({ tab: said.push('open') }),
      teardown: ({ tab }) => said.push(`close ${tab}`),
    },
  })
  expect(said).toEqual(['open', '1 in 1', '2 in 1', 'close 1'])
  const setup = () => Promise.reject(new Error('no browser'))
  const failed = await rejection(runtime.queue('pages').work(() => 1, { worker: { setup } }))
  expect(failed).toMatchObject({ code: 'REEVE_SETUP_FAILED', message: expect.stringContaining('no browser') })
})

test('the worker threads leave its queue alone while it works, and take it back afterwards', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const controller = new AbortController()
  const work = runtime.queue('pages').work(() => 'in the app', { signal: controller.signal })
  const ranIn = async () => (await runtime.enqueue('recalls', 'x', pages)).result()
  while ((await ranIn()) !== 'in the app');
  for (let time = 0; time < 5; time++) expect(await ranIn()).toBe('in the app')
  controller.abort()
  await work
  expect(await ranIn()).toBeUndefined()
})

test('a handler in the app has the context of its attempt: progress, logs, key-values', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const events = new EventLog(runtime)
  const [handle] = await enqueue(runtime, ['a'])
  await runtime.queue('pages').work(
    async (_input, ctx) => {
      ctx.progress(0.5, 'half')
      void ctx.kv.set('forgotten', 1)
      return ctx.kv.update<number>('visits', (before = 0) => before + 1)
    },
    { max: 1 },
  )
  await events.said(handle?.id ?? '', 'half')
  expect(await handle?.result()).toBe(1)
  expect(await runtime.kv('visit').get('forgotten')).toBe(1)
})

test('a close ends it, and a handler that does not return keeps its job from being run elsewhere until it does', async () => {
  using scratch = new Scratch()
  const runtime = await openRuntime(scratch, undefined, { threads: 0, stopGrace: 0, killWait: '50ms' })
  const [handle] = await enqueue(runtime, ['deaf'])
  const here = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const work = runtime.queue('pages').work(() => {
    here.resolve()
    return goOn.promise
  })
  await here.promise
  await runtime.close({ timeout: 0 })
  expect(await work).toMatchObject({ endedBecause: 'closed', released: 1, remaining: null })

  await using next = await open(scratch)
  const events = new EventLog(next)
  const id = handle?.id ?? ''
  // It looks at who is dead five times a second.
  expect(await next.queue('pages').work(() => 'too early', { until: '500ms' })).toMatchObject({ done: 0 })
  expect(await next.get(id)).toMatchObject({ state: 'running' })
  const second = next.queue('pages').work((_input, ctx) => ctx.attempt, { max: 1 })
  goOn.resolve()
  await events.of('completed', id)
  expect(await second).toMatchObject({ done: 1 })
})

test.each([
  ['work.concurrency', { concurrency: 0 }],
  ['work.max', { max: 1.5 }],
  ['work.perGroup', { perGroup: 0 }],
  ['work.until', { until: new Date(Number.NaN) }],
  ['work.perhaps', { perhaps: 1 }],
  ['work.worker', { worker: {} }],
  ['work.signal', { signal: 1 }],
])('an option that is not accepted is refused by its name: %s', async (name, options) => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const error = await rejection(runtime.queue('pages').work(() => 1, options as never))
  expect(error).toMatchObject({ code: 'REEVE_OPTION_INVALID', message: expect.stringContaining(`'${name}'`) })
})

test('steps are remembered here as on a thread, and a wait frees the slot', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const bodies: string[] = []
  const [handle] = await enqueue(runtime, ['a'])
  await enqueue(runtime, ['b'])
  const work = () =>
    runtime.queue('pages').work(
      async (input, { step }) => {
        if (input === 'b') return input
        const first = await step.run('first', () => bodies.push('first'))
        const paid = await step.waitForEvent<number>('paid', { event: 'paid' })
        return [first, paid]
      },
      { until: 'empty' },
    )
  expect(await work()).toMatchObject({ done: 1, released: 1, endedBecause: 'empty' })
  expect(await runtime.get(handle?.id ?? '')).toMatchObject({ state: 'suspended' })
  await runtime.emit('paid', 7)
  expect(await work()).toMatchObject({ done: 1, released: 0 })
  expect(await handle?.result()).toEqual([1, 7])
  expect(bodies).toEqual(['first'])
})
