import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/breaks.ts'

const jobsUrl = new URL('./jobs/breaks.ts', import.meta.url)

test('a breaker that is closed by hand lets the kind go at once', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { threads: 1 })
  const events = new EventLog(runtime)
  const file = scratch.file('up')
  const [first, second] = await Promise.all([runtime.enqueue('callsRarely', file), runtime.enqueue('callsRarely', file)])
  await events.first(({ name }) => name === 'breaker-opened')
  writeFileSync(file, '')
  await runtime.closeBreaker('callsRarely')
  // Its cooldown is an hour.
  expect(await Promise.all([first.result(), second.result()])).toEqual(['called', 'called'])
  expect(await runtime.breakers()).toEqual([])
  await expect(runtime.closeBreaker('')).rejects.toThrow('the name of a kind')
})

test('a kind whose jobs do nothing but fail is held back, looked at by one job at a time, and let go once that completes', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { threads: 1 })
  const events = new EventLog(runtime)
  const file = scratch.file('up')
  const handles = await runtime.enqueueMany(Array.from({ length: 8 }, () => ({ kind: 'calls' as const, input: file })))
  await events.of('breaker-opened', handles[2]?.id ?? '')
  const [breaker] = await runtime.breakers()
  expect(breaker).toMatchObject({ kind: 'calls', failures: expect.any(Number), until: expect.any(Number) })
  writeFileSync(file, '')
  expect(await handles[7]?.result()).toBe('called')
  expect(await runtime.breakers()).toEqual([])

  const told = events.all.filter(({ name }) => ['started', 'breaker-opened', 'breaker-closed'].includes(name))
  const names = told.map(({ name }) => name)
  const opened = names.filter((name) => name === 'breaker-opened').length
  expect(names.slice(0, 5)).toEqual(['started', 'started', 'breaker-opened', 'started', 'breaker-opened'])
  expect(opened).toBe(names.indexOf('breaker-closed') - opened - 2)
  expect(names.filter((name) => name === 'breaker-closed')).toHaveLength(1)
})
