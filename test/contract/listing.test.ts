import { describe, expect, test } from 'vitest'
import type { JobCriteria } from '../../src/job/job-filter.ts'
import type { JobsQuery } from '../../src/persistence/jobs-query.ts'
import { candidatesSql } from '../../src/persistence/sqlite/queries/listing.ts'
import type { Store } from '../../src/persistence/store.ts'
import { ask, cancel, claimOne, complete, discard, enqueue, newJob, settle, start } from '../support/store/commands.ts'
import { openConnection, openStore, plainConnection } from '../support/store/scratch.ts'

const page: JobsQuery = { criteria: {}, order: 'newest', after: null, limit: 100, lookMax: 1_000, payloads: false }
const names = async (store: Store, given: Partial<JobsQuery> = {}) =>
  (await store.jobs({ ...page, ...given })).rows.map(({ id }) => id)

/** All pages of a list, by the place where each one ends. */
async function walk(store: Store, given: Partial<JobsQuery>): Promise<string[][]> {
  const pages: string[][] = []
  let after: JobsQuery['after'] = null
  for (;;) {
    const { rows, place } = await store.jobs({ ...page, ...given, after })
    pages.push(rows.map(({ id }) => id))
    if (place === null) return pages
    after = place
  }
}

/** Jobs `a` to `f` in this order, of which `b` ended last and `e` first. */
async function six(): Promise<Store & { readonly file: string }> {
  const store = openStore()
  await ask(
    store,
    enqueue(...['a', 'b', 'c', 'd', 'e', 'f'].map((name, index) => newJob(name, { kind: index % 2 ? 'send' : 'resize' }))),
  )
  await ask(store, cancel('e', start + 1))
  await ask(store, settle((await claimOne(store)).lease, discard, start + 2))
  await ask(store, settle((await claimOne(store)).lease, complete, start + 3))
  return store
}

test('jobs are listed by their enqueue, the last one or the first one first', async () => {
  const store = await six()
  expect(await names(store)).toEqual(['f', 'e', 'd', 'c', 'b', 'a'])
  expect(await names(store, { order: 'oldest' })).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
})

test('jobs that are over are listed by their end, the last one first, whatever they ended as', async () => {
  const store = await six()
  expect(await names(store, { order: 'ended' })).toEqual(['b', 'a', 'e'])
  expect(await names(store, { order: 'ended', criteria: { states: ['cancelled', 'discarded', 'ready'] } })).toEqual(['a', 'e'])
  expect(await names(store, { order: 'ended', criteria: { states: ['ready'] } })).toEqual([])
})

test.each(['newest', 'oldest', 'ended'] as const)('page after page gives each job once (%s)', async (order) => {
  const store = await six()
  const whole = await names(store, { order })
  for (const limit of [1, 2, 4]) {
    const pages = await walk(store, { order, limit })
    expect(pages.flat()).toEqual(whole)
    expect(pages.every((jobs) => jobs.length <= limit)).toBe(true)
  }
})

test.each(['newest', 'ended'] as const)('jobs that ended in the same millisecond are given once each (%s)', async (order) => {
  const store = openStore()
  await ask(store, enqueue(...['a', 'b', 'c', 'd'].map((name) => newJob(name))))
  for (const name of ['a', 'b', 'c', 'd']) await ask(store, cancel(name))
  expect((await walk(store, { order, limit: 1 })).flat()).toEqual(['d', 'c', 'b', 'a'])
})

test('a slice looks at no more rows than it may, and says where to go on though it found nothing', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('rare', { kind: 'send' }), ...Array.from({ length: 20 }, (_, index) => newJob(`j${index}`))))
  const criteria = { kinds: ['send'] }
  const first = await store.jobs({ ...page, criteria, lookMax: 8 })
  expect(first).toMatchObject({ rows: [], looked: 8, place: [14] })
  expect(await walk(store, { criteria, lookMax: 8 })).toEqual([[], [], ['rare']])
})

test('the place of a full page is its last job, not the last that was looked at', async () => {
  const store = await six()
  const { place } = await store.jobs({ ...page, criteria: { kinds: ['send'] }, limit: 1 })
  expect(await names(store, { criteria: { kinds: ['send'] }, after: place })).toEqual(['d', 'b'])
})

test('inputs and results are read only where they are asked for, and their size ends a slice', async () => {
  const store = await six()
  const criteria = { ids: ['b'] }
  const [bare] = (await store.jobs({ ...page, criteria })).rows
  const [full] = (await store.jobs({ ...page, criteria, payloads: true })).rows
  expect(full).toEqual(await store.job('b' as never))
  expect(bare).toEqual({ ...full, input: null, result: null })
  const large = newJob('large', { input: JSON.stringify('x'.repeat(17 * 1024 * 1024)) })
  await ask(store, enqueue(newJob('before'), large, newJob('after')))
  expect(await store.jobs({ ...page, payloads: true })).toMatchObject({ rows: [{ id: 'after' }, { id: 'large' }], isCut: true })
  expect((await walk(store, { payloads: true })).flat().slice(0, 3)).toEqual(['after', 'large', 'before'])
})

describe('candidates are found', () => {
  const planOf = (criteria: JobCriteria, order: JobsQuery['order'] = 'newest') => {
    const sql = candidatesSql(criteria, order)
    const all = { seq: 1, settledAt: 1, look: 1, ids: '[]', correlationId: 'c', parent: 'p', group: 'g' }
    const named = Object.fromEntries(Object.entries(all).filter(([name]) => sql.includes(`@${name}`)))
    return openConnection()
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(named)
      .map(({ detail }) => detail)
  }

  test.each<[string, JobCriteria, RegExp]>([
    ['by the table itself', {}, /^SEARCH reeve_jobs USING INTEGER PRIMARY KEY \(rowid<\?\)$/],
    ['by correlation', { correlationId: 'c' }, /INDEX reeve_jobs_correlation \(correlation_id=\? AND rowid<\?\)$/],
    ['by parent', { parent: 'p' }, /INDEX reeve_jobs_parent \(parent=\? AND rowid<\?\)$/],
    ['by group', { groups: ['g'] }, /INDEX reeve_jobs_group \(grp=\? AND rowid<\?\)$/],
    ['by state', { states: ['discarded'] }, /INDEX reeve_jobs_listed \(state=\? AND rowid<\?\)$/],
  ])('%s, in its order and without sorting', (_, criteria, index) => {
    const plan = planOf(criteria)
    expect(plan.filter((detail) => detail.includes('reeve_jobs'))).toEqual([expect.stringMatching(index)])
    expect(plan.filter((detail) => detail.includes('B-TREE'))).toEqual([])
  })

  test('for each of several states by its own range', () => {
    const plan = planOf({ states: ['discarded', 'cancelled', 'parked', 'suspended'] })
    expect(plan.filter((detail) => detail.includes('INDEX reeve_jobs_listed (state=? AND rowid<?)'))).toHaveLength(4)
  })

  test.each(['completed', 'cancelled', 'discarded'] as const)('by their end, without sorting (%s)', (state) => {
    const plan = planOf({ states: [state] }, 'ended')
    expect(plan.filter((detail) => detail.includes('reeve_jobs'))).toEqual([
      expect.stringMatching(/^SEARCH reeve_jobs USING COVERING INDEX reeve_jobs_over \(state=\? AND \(?settled_at/),
    ])
    expect(plan.filter((detail) => detail.includes('B-TREE'))).toEqual([])
  })
})

test('counts by kind are those of the table, slice by slice', async () => {
  const store = await six()
  const counted = []
  for (let place: number | null = 0; place !== null; ) {
    const slice = await store.kindCounts(place, 4)
    counted.push(slice.counts.map(({ kind, state, jobs }) => `${jobs} ${kind} ${state}`))
    place = slice.place
  }
  expect(counted).toEqual([
    ['1 resize discarded', '1 resize ready', '1 send completed', '1 send ready'],
    ['1 resize cancelled', '1 send ready'],
  ])
})

test('who holds a unique key is found by the index that holds it, and a window that has ended holds nothing', async () => {
  const store = await six()
  const db = plainConnection(store.file)
  db.exec("UPDATE reeve_jobs SET unique_key = 'k', unique_holds = 1, unique_until = 2000000 WHERE id = 'c'")
  expect(await store.holderOf('k', 1_999_999)).toEqual({ id: 'c', kind: 'resize' })
  expect(await store.holderOf('k', 2_000_000)).toBeNull()
  expect(await store.holderOf('other', start)).toBeNull()
  db.exec("UPDATE reeve_jobs SET unique_holds = 0 WHERE id = 'c'")
  expect(await store.holderOf('k', start)).toBeNull()
})
