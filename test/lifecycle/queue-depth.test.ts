import { expect, test } from 'vitest'
import { openGate } from '../support/runtime/gate.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)
const mail = { queue: 'mail', delay: '1h' } as const

test('a queue takes no more than its bound; a batch over it leaves nothing, and other queues are as ever', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0, queueLimits: { mail: { maxDepth: 2 } } })
  const one = { kind: 'echo', options: mail } as const
  expect(await rejection(runtime.enqueueMany([one, one, one]))).toMatchObject({ code: 'REEVE_QUEUE_FULL' })
  const [first] = await runtime.enqueueMany([one, one])
  expect(await rejection(runtime.enqueue('echo', 1, mail))).toMatchObject({ code: 'REEVE_QUEUE_FULL' })
  await runtime.enqueue('echo', 1, { delay: '1h' })
  await first.cancel()
  expect((await runtime.enqueue('echo', 1, mail)).enqueued).toBe('new')
  expect(await runtime.counts()).toMatchObject({ ready: 3 })
})

test('where the queue lets them, enqueues wait for room in order, and a wait can be cut short', async () => {
  using scratch = new Scratch()
  const queueLimits = { mail: { maxDepth: 1, whenFull: 'wait' as const } }
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { queueLimits })
  const atGate = Promise.withResolvers<void>()
  runtime.on('progress', ({ note }) => note === 'at the gate' && atGate.resolve())
  await runtime.enqueue('gated', { gate: 'depth' }, { queue: 'mail' })
  await atGate.promise
  await runtime.enqueue('echo', 'fits', { queue: 'mail' })

  const order: string[] = []
  const waiting = ['first', 'second'].map(async (input) => {
    const handle = await runtime.enqueue('echo', input, { queue: 'mail' })
    order.push(input)
    return handle.result()
  })
  const impatient = runtime.enqueue('echo', 'never', { queue: 'mail', waitForRoom: { timeout: 60 } })
  expect(await rejection(impatient)).toMatchObject({ code: 'REEVE_QUEUE_FULL' })
  const abort = new AbortController()
  const aborted = runtime.enqueue('echo', 'never', { queue: 'mail', waitForRoom: { signal: abort.signal } })
  abort.abort()
  expect(await rejection(aborted)).toMatchObject({ code: 'REEVE_QUEUE_FULL' })
  expect(order).toEqual([])

  openGate('depth')
  expect(await Promise.all(waiting)).toEqual(['first', 'second'])
  expect(order).toEqual(['first', 'second'])
  const three = Array.from({ length: 3 }, () => ({ kind: 'echo', options: { queue: 'mail' } }) as const)
  expect(await rejection(runtime.enqueueMany(three))).toMatchObject({ code: 'REEVE_QUEUE_FULL' })
})
