import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Runtime } from '../../src/index.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)
const scratch = new Scratch()
let runtime: Runtime<typeof jobs>
let events: EventLog
beforeAll(async () => {
  runtime = await openRuntime(scratch, jobsUrl)
  events = new EventLog(runtime)
})
afterAll(async () => {
  await runtime.close()
  scratch[Symbol.dispose]()
})

describe('a job that waits', () => {
  test('is cancelled at once, and its waiters are told', async () => {
    const handle = await runtime.enqueue('echo', 1, { delay: '1h' })
    const wait = rejection(handle.result())
    expect(await handle.cancel()).toEqual({ cancelled: true, state: 'cancelled' })
    expect(await wait).toMatchObject({ code: 'REEVE_JOB_CANCELLED', jobId: handle.id, kind: 'echo' })
    expect(await runtime.get(handle.id)).toMatchObject({ state: 'cancelled', attempt: 0, claimedAt: null })
    await events.of('cancelled', handle.id)
    expect(events.namesOf(handle.id)).toEqual(['cancelled'])
  })
})

describe('a job that runs', () => {
  test('ends where its handler heeds the signal, and its thread lives on', async () => {
    const handle = await runtime.enqueue('gated', { gate: randomUUID() })
    const { threadId } = await events.of('started', handle.id)
    await events.said(handle.id, 'at the gate')
    expect(await handle.cancel()).toEqual({ cancelled: true, state: 'cancelled' })
    expect(await rejection(handle.result())).toMatchObject({ code: 'REEVE_JOB_CANCELLED' })
    const next = await runtime.enqueue('nothing')
    expect(await events.of('started', next.id)).toMatchObject({ threadId })
  })

  test('ends where its loop looks at ctx.stopRequested, and is cancelled although it returned', async () => {
    const handle = await runtime.enqueue('politeLoop')
    await events.said(handle.id, 'looping')
    expect(await handle.cancel()).toEqual({ cancelled: true, state: 'cancelled' })
    expect(await runtime.get(handle.id)).toMatchObject({ state: 'cancelled', result: undefined, cancelRequested: true })
  })

  test('is ended with its thread after its grace where it heeds nothing, and the next job runs on a new thread', async () => {
    const handle = await runtime.enqueue('rudeLoop')
    const { threadId } = await events.of('started', handle.id)
    await events.said(handle.id, 'looping')
    expect(await handle.cancel()).toEqual({ cancelled: true, state: 'cancelled' })
    const next = await runtime.enqueue('echo', 'alive')
    expect(await next.result()).toBe('alive')
    expect((await events.of('started', next.id)).threadId).not.toBe(threadId)
    expect(await runtime.load()).toMatchObject({ running: 0, threads: 1 })
    await events.of('cancelled', handle.id)
    expect(events.namesOf(handle.id)).toEqual(['started', 'progress', 'cancelled'])
  })

  test('can be cancelled from another runtime on the same file', async () => {
    await using other = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
    const handle = await runtime.enqueue('politeLoop')
    await events.said(handle.id, 'looping')
    const there = await other.handle(handle.id)
    expect(await there.cancel()).toEqual({ cancelled: true, state: 'cancelled' })
    expect(await rejection(handle.result())).toMatchObject({ code: 'REEVE_JOB_CANCELLED' })
  })

  test('cancelled twice at once is cancelled once', async () => {
    const handle = await runtime.enqueue('politeLoop')
    await events.said(handle.id, 'looping')
    const both = await Promise.all([handle.cancel(), handle.cancel()])
    expect(both).toEqual([
      { cancelled: true, state: 'cancelled' },
      { cancelled: true, state: 'cancelled' },
    ])
    await events.of('cancelled', handle.id)
    expect(events.namesOf(handle.id).filter((name) => name === 'cancelled')).toHaveLength(1)
  })
})

describe('a job that is over', () => {
  test('stays as it ended, and the cancel says how that was', async () => {
    const completed = await runtime.enqueue('echo', 1)
    await completed.result()
    expect(await completed.cancel()).toEqual({ cancelled: false, state: 'completed' })
    expect(await completed.result()).toBe(1)
    const discarded = await runtime.enqueue('succeedsAt', { attempt: 2 }, { retry: { attemptsMax: 1 } })
    await rejection(discarded.result())
    expect(await discarded.cancel()).toEqual({ cancelled: false, state: 'discarded' })
    const cancelled = await runtime.enqueue('echo', 1, { delay: '1h' })
    await cancelled.cancel()
    expect(await cancelled.cancel()).toEqual({ cancelled: true, state: 'cancelled' })
  })
})
