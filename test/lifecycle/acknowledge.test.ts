import { expect, test } from 'vitest'
import { holdingWriteLock, stateOf, withDatabase } from '../support/runtime/audit.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)

test('an enqueue is neither acknowledged nor run before its commit, and both come after it', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { durability: 'power' })
  const events = new EventLog(runtime)
  let acknowledged = 0
  let enqueues: Promise<unknown>[] = []
  await holdingWriteLock(scratch.database, async () => {
    enqueues = [1, 2, 3].map((input) => runtime.enqueue('echo', input).then(() => acknowledged++))
    // Each answer is a turn of the supervisor thread, in which it could have told.
    for (let turn = 0; turn < 30; turn++) await runtime.load()
    expect(acknowledged).toBe(0)
    expect(events.all).toEqual([])
  })
  await Promise.all(enqueues)
  await events.first(({ name }) => name === 'completed')
  const rows = withDatabase(scratch.database, (db) => db.prepare<[], number>('SELECT count(*) FROM reeve_jobs').pluck().get())
  expect(rows).toBe(3)
})

test('at the moment of the acknowledgement any other connection sees the job', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  for (let round = 0; round < 20; round++) {
    const { id } = await runtime.enqueue('echo', round)
    expect(stateOf(scratch.database, id)).toBe('ready')
  }
})
