import { expect, test } from 'vitest'
import { openDispatcher } from '../support/sim/open-dispatcher.ts'
import { lease } from '../support/store/commands.ts'

test('nothing is claimed ahead before a run has been seen to be short, nor after long ones', async () => {
  const { clock, pool, committer, dispatcher, claimed, settled } = openDispatcher({ threads: 1 })
  dispatcher.start()
  await claimed(['long'])
  await clock.advance(60)
  pool.returns('long')
  await settled('long')
  pool.frees('long')
  dispatcher.wake()
  expect(committer.of('claim').map(({ ahead }) => ahead)).toEqual([0, 0])
})

test('while jobs are short, more are claimed than there are threads, and no more are started', async () => {
  const { pool, committer, claimed, learnShortJobs } = openDispatcher({ threads: 1 })
  await learnShortJobs()
  expect(committer.of('claim').at(-1)?.ahead).toBeGreaterThan(0)
  await claimed(['a', 'b', 'c'])
  expect(pool.runs.map(({ assignment }) => assignment.jobId)).toEqual(['short', 'a'])
})

test('a held job starts as soon as a thread is free, without another claim', async () => {
  const { pool, claimed, learnShortJobs } = openDispatcher({ threads: 1 })
  await learnShortJobs()
  await claimed(['a', 'b'])
  pool.returns('a')
  pool.frees('a')
  expect(pool.runs.at(-1)?.assignment.jobId).toBe('b')
})

test('jobs that are held for a quarter of a second are handed back uncharged, and nothing is claimed ahead then', async () => {
  const { clock, pool, committer, dispatcher, claimed, learnShortJobs, settles } = openDispatcher({ threads: 1 })
  await learnShortJobs()
  await claimed(['a', 'b', 'c'])
  await claimed([])
  await clock.advance(249)
  expect(settles().map(({ lease }) => lease.jobId)).toEqual(['short'])
  await clock.advance(1)
  expect(settles().slice(1)).toMatchObject([
    { lease: lease('b', 1), settlement: { type: 'interrupted' } },
    { lease: lease('c', 1), settlement: { type: 'interrupted' } },
  ])
  dispatcher.wake()
  pool.returns('a')
  pool.frees('a')
  expect(committer.of('claim').at(-1)?.ahead).toBe(0)
})

test('what is held is leased: it is renewed with what runs', async () => {
  const { claimed, dispatcher, learnShortJobs } = openDispatcher({ threads: 1 })
  await learnShortJobs()
  await claimed(['a', 'b'])
  expect(dispatcher.leases()).toEqual([lease('b', 1), lease('a', 1)])
  expect(dispatcher.load()).toEqual({ running: 1, held: 1 })
})

test('a held job whose cancel was requested is settled at once and never starts', async () => {
  const { pool, claimed, dispatcher, learnShortJobs, settles } = openDispatcher({ threads: 1 })
  await learnShortJobs()
  await claimed(['a', 'b'])
  dispatcher.cancel(lease('b', 1))
  expect(settles().at(-1)).toMatchObject({ lease: lease('b', 1) })
  pool.returns('a')
  pool.frees('a')
  expect(pool.runs.map(({ assignment }) => assignment.jobId)).not.toContain('b')
})

test('a held job whose lease is lost never starts and is not settled', async () => {
  const { pool, claimed, dispatcher, learnShortJobs, settles } = openDispatcher({ threads: 1 })
  await learnShortJobs()
  await claimed(['a', 'b'])
  dispatcher.leasesLost([lease('b', 1)])
  pool.returns('a')
  pool.frees('a')
  expect(pool.runs).toHaveLength(2)
  expect(settles().map(({ lease }) => lease.jobId)).not.toContain('b')
})
