import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { EventLog } from '../support/runtime/event-log.ts'
import { openGate } from '../support/runtime/gate.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)

test('a wait is taken up by the unique key of its job, from another runtime, until the key is free', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  await using other = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const events = new EventLog(runtime, ['progress'])
  const gate = randomUUID()
  const { id } = await runtime.enqueue('gated', { gate }, { unique: { key: 'a.png' } })
  const handle = await other.handleByKey({ kind: 'gated', key: 'a.png' })
  expect(handle?.id).toBe(id)
  await events.said(id, 'at the gate')
  openGate(gate)
  expect(await handle?.result()).toBe('through')
  expect(await other.handleByKey({ kind: 'gated', key: 'a.png' })).toBeNull()
})

test('a key counts where its enqueue said: in the kind, or in the queue', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const { id } = await runtime.enqueue('echo', 1, { queue: 'mail', unique: { key: 'k', scope: 'queue' } })
  expect((await runtime.handleByKey({ queue: 'mail', key: 'k' }))?.id).toBe(id)
  expect(await runtime.handleByKey({ kind: 'echo', key: 'k' })).toBeNull()
  expect(await runtime.handleByKey({ queue: 'default', key: 'k' })).toBeNull()
  expect(await runtime.handleByKey({ queue: 'mail', key: 'other' })).toBeNull()
})
