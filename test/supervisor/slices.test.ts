import { expect, test } from 'vitest'
import type { JobRow } from '../../src/persistence/job-row.ts'
import type { JobsQuery, JobsSlice, KindCountsSlice } from '../../src/persistence/jobs-query.ts'
import { countsByKind, jobsPage } from '../../src/supervisor/slices.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'

const query = { criteria: {}, order: 'newest', after: null, limit: 3, payloads: false } as const
const rows = (...ids: string[]) => ids.map((id) => ({ id }) as unknown as JobRow)
const slice = (given: Partial<JobsSlice>): JobsSlice => ({ rows: [], looked: 4_000, place: [1], isCut: false, ...given })

/** A store that answers with these slices, and what it was asked. */
function open(slices: JobsSlice[], counts: KindCountsSlice[] = []) {
  const asked: JobsQuery[] = []
  const clock = new ManualClock()
  const turns: number[] = []
  const store = {
    jobs: async (given: JobsQuery) => {
      asked.push(given)
      return slices.length > 1 ? (slices.shift() as JobsSlice) : (slices[0] as JobsSlice)
    },
    kindCounts: async () => counts.shift() as KindCountsSlice,
  }
  const nextTurn = (run: () => void) => {
    turns.push(asked.length)
    clock.nextTurn(run)
  }
  const sliced = { store, clock: { nextTurn } }
  const finish = async <T>(work: Promise<T>): Promise<T> => {
    for (let round = 0; round < 100; round++) await clock.turns()
    return work
  }
  return { asked, turns, sliced, finish }
}

test('a page is filled slice by slice, and others have their turn between two', async () => {
  const { asked, turns, sliced, finish } = open([
    slice({ rows: rows('a'), place: [90] }),
    slice({ rows: rows('b', 'c'), place: [50] }),
  ])
  expect(await finish(jobsPage(sliced, query))).toEqual({ rows: rows('a', 'b', 'c'), place: [50] })
  expect(asked.map(({ after, limit }) => [after, limit])).toEqual([
    [null, 3],
    [[90], 2],
  ])
  expect(turns).toEqual([1])
})

test('a page ends where nothing is left', async () => {
  const { sliced, finish } = open([slice({ rows: rows('a') }), slice({ place: null })])
  expect(await finish(jobsPage(sliced, query))).toEqual({ rows: rows('a'), place: null })
})

test('a page that has looked at a hundred thousand rows is given as it is', async () => {
  const { asked, sliced, finish } = open([slice({ place: [7] })])
  expect(await finish(jobsPage(sliced, query))).toEqual({ rows: [], place: [7] })
  expect(asked).toHaveLength(25)
})

test('a slice with large inputs ends the page', async () => {
  const { asked, sliced, finish } = open([slice({ rows: rows('large'), isCut: true })])
  expect(await finish(jobsPage(sliced, query))).toEqual({ rows: rows('large'), place: [1] })
  expect(asked).toHaveLength(1)
})

test('counts of all slices are added up by kind and queue', async () => {
  const one = { kind: 'send', queue: 'mail', state: 'ready', jobs: 1 } as const
  const { turns, sliced, finish } = open(
    [],
    [
      { counts: [one, { ...one, queue: 'default' }], place: 5 },
      { counts: [one, { ...one, state: 'discarded', jobs: 3 }], place: null },
    ],
  )
  const none = { ready: 0, running: 0, suspended: 0, parked: 0, completed: 0, cancelled: 0, discarded: 0 }
  expect(await finish(countsByKind(sliced))).toEqual([
    { kind: 'send', queue: 'mail', counts: { ...none, ready: 2, discarded: 3 } },
    { kind: 'send', queue: 'default', counts: { ...none, ready: 1 } },
  ])
  expect(turns).toHaveLength(1)
})
