import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type RetentionBound, retentionBounds } from '../../src/job/retention.ts'
import type { TerminalState } from '../../src/job/state.ts'
import type { PruneAnswer, PruneCommand, PruneCursor } from '../../src/persistence/commands/prune.ts'
import { sliceSql } from '../../src/persistence/sqlite/prune.ts'
import type { Store } from '../../src/persistence/store.ts'
import { ask, claimOne, complete, discard, enqueue, jobId, newJob, settle, start } from '../support/store/commands.ts'
import { openStore, plainConnection } from '../support/store/scratch.ts'

const day = 86_400_000
const bound = (given: Partial<RetentionBound>): RetentionBound => ({
  states: null,
  kinds: null,
  queues: null,
  maxAgeMs: null,
  maxCount: null,
  ...given,
})

let pages = 0
const prune = (bounds: readonly RetentionBound[], given: Partial<PruneCommand> = {}): PruneCommand => ({
  type: 'prune',
  now: start + 10 * day,
  operation: 'prune ann',
  page: pages++,
  state: 'completed',
  bounds,
  cursor: null,
  ...given,
})

/** Jobs that completed a day after each other, the first one at the start. */
async function over(store: Store, names: readonly string[], kind = 'resize'): Promise<void> {
  for (const [index, name] of names.entries()) {
    await ask(store, enqueue(newJob(name, { kind })))
    await ask(store, settle((await claimOne(store)).lease, complete, start + index * day))
  }
}

const left = async (store: Store, names: readonly string[]): Promise<string[]> => {
  const rows = await Promise.all(names.map((name) => store.job(jobId(name))))
  return names.filter((_, index) => rows[index] !== null)
}

test('a job goes at the age that its rule says, not a millisecond sooner', async () => {
  const store = openStore()
  await over(store, ['a', 'b'])
  const rule = [bound({ maxAgeMs: 9 * day })]
  expect(await ask(store, prune(rule, { now: start + 9 * day - 1 }))).toEqual({ type: 'pruned', count: 0, next: null })
  expect(await ask(store, prune(rule, { now: start + 9 * day }))).toMatchObject({ count: 1 })
  expect(await left(store, ['a', 'b'])).toEqual(['b'])
})

test('of a rule with a count the latest are kept', async () => {
  const store = openStore()
  const names = ['a', 'b', 'c', 'd']
  await over(store, names)
  await ask(store, prune([bound({ maxCount: 2 })]))
  expect(await left(store, names)).toEqual(['c', 'd'])
})

test('the first rule that matches decides alone; what no rule matches is kept', async () => {
  const store = openStore()
  await over(store, ['a', 'b'], 'kept')
  await over(store, ['c', 'd'], 'short')
  await over(store, ['e'], 'other')
  await ask(store, prune([bound({ kinds: ['kept'] }), bound({ kinds: ['kept', 'short'], maxAgeMs: 0 })]))
  expect(await left(store, ['a', 'b', 'c', 'd', 'e'])).toEqual(['a', 'b', 'e'])
})

test('only the state that is asked for is looked at, and nothing that lives', async () => {
  const store = openStore()
  await over(store, ['a'])
  await ask(store, enqueue(newJob('b'), newJob('c'), newJob('d')))
  await ask(store, settle((await claimOne(store)).lease, discard))
  await claimOne(store)
  const rule = [bound({ maxAgeMs: 0 })]
  for (const state of ['cancelled', 'discarded'] as const) await ask(store, prune(rule, { state }))
  expect(await left(store, ['a', 'b', 'c', 'd'])).toEqual(['a', 'c', 'd'])
})

test('a job that another one waits for, or that still guards its unique key, is kept', async () => {
  const store = openStore()
  const names = ['a', 'b', 'c', 'd']
  await over(store, names)
  await ask(store, enqueue(newJob('waits')))
  const db = plainConnection(store.file)
  db.exec(
    "INSERT INTO reeve_dependencies (job, needs) SELECT w.seq, a.seq FROM reeve_jobs w, reeve_jobs a WHERE w.id = 'waits' AND a.id = 'a'",
  )
  db.exec(`UPDATE reeve_jobs SET unique_key = id, unique_holds = 1, unique_until = ${start + 10 * day + 1} WHERE id = 'b'`)
  db.exec(`UPDATE reeve_jobs SET unique_key = id, unique_holds = 1, unique_until = ${start + 10 * day} WHERE id = 'c'`)
  await ask(store, prune([bound({ maxAgeMs: 0 })]))
  expect(await left(store, names)).toEqual(['a', 'b'])
})

test('slices of a pass go through all that is over, and a repeated one does nothing more', async () => {
  const store = openStore()
  await ask(store, enqueue(...Array.from({ length: 1_300 }, (_, index) => newJob(`job-${index}`))))
  const db = plainConnection(store.file)
  db.exec(`UPDATE reeve_jobs SET state = 'completed', settled_at = ${start} + seq`)
  const count = db.prepare('SELECT count(*) FROM reeve_jobs').pluck()
  let cursor: PruneCursor | null = null
  const counts: number[] = []
  do {
    const command: PruneCommand = prune([bound({ maxCount: 100 })], { cursor })
    const answer: PruneAnswer = await ask(store, command)
    expect(await ask(store, command, true)).toEqual(answer)
    counts.push(answer.count)
    cursor = answer.next
  } while (cursor !== null)
  expect(counts).toEqual([400, 500, 300])
  expect(count.get()).toBe(100)
})

test('a slice without anything to delete writes nothing', async () => {
  const store = openStore()
  await over(store, ['a'])
  const other = openStore({ database: store.file })
  other.changedElsewhere()
  await ask(store, prune(retentionBounds(), { now: start }))
  expect(other.changedElsewhere()).toBe(false)
})

test('a slice is one range of the index of jobs that are over', () => {
  const db = plainConnection(openStore().file)
  const state: TerminalState = 'completed'
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sliceSql}`).all({ state, settledAt: 1, seq: 1 }) as { detail: string }[]
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH reeve_jobs USING INDEX reeve_jobs_over (state=? AND settled_at>? AND settled_at<?)',
  ])
})

test('the file gets smaller step by step, and keeps some room for the jobs to come', async () => {
  const store = openStore()
  const input = JSON.stringify('x'.repeat(20_000))
  for (let batch = 0; batch < 6; batch++)
    await ask(store, enqueue(...Array.from({ length: 200 }, (_, index) => newJob(`job-${batch}-${index}`, { input }))))
  await store.checkpoint()
  const before = statSync(store.file).size
  expect(await store.shrink()).toBe(false)
  plainConnection(store.file).exec('PRAGMA foreign_keys = ON; DELETE FROM reeve_jobs')
  let steps = 1
  while (await store.shrink()) steps++
  expect(steps).toBeGreaterThan(10)
  expect(statSync(store.file).size).toBeLessThan(before / 4)
  expect(statSync(store.file).size).toBeGreaterThan(1_000_000)
  expect(await store.violations()).toEqual([])
})
