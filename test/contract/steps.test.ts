import { expect, test } from 'vitest'
import type { NewWait } from '../../src/job/step.ts'
import {
  ask,
  cancel,
  claim,
  claimOne,
  complete,
  discard,
  enqueue,
  fail,
  jobId,
  newJob,
  settle,
  start,
} from '../support/store/commands.ts'
import { openStore, plainConnection } from '../support/store/scratch.ts'

const suspend = (...waits: NewWait[]) => ({ type: 'suspend', waits }) as const
const invoke = (name: string, child: string): NewWait => ({ type: 'invoke', name, about: '', child: newJob(child) })
const emit = (id: string, event: string) =>
  ({ type: 'emit', now: start, id, event, key: null, payload: '1', to: null, keepMs: 1_000, keepMax: 100 }) as const

/** A parent that waits for the child `kid`, which runs. */
async function openWithChild() {
  const store = openStore()
  await ask(store, enqueue(newJob('parent')))
  const parent = await claimOne(store)
  expect(await ask(store, settle(parent.lease, suspend(invoke('ask', 'kid'))))).toMatchObject({ state: 'suspended' })
  const kid = await claimOne(store)
  expect(kid.id).toBe('kid')
  return { store, parent, kid }
}

test.each([
  ['completed', complete, { state: 'ended', value: '{"path":"a.png"}', error: null }],
  ['discarded', discard, { state: 'failed', error: { code: 'REEVE_STEP_INVOKE_FAILED', cause: { message: 'never' } } }],
  [
    'cancelled',
    { type: 'cancel' } as const,
    { state: 'failed', error: { message: "Step 'ask': job kid (resize) was cancelled." } },
  ],
])('a job that is %s wakes the one that invoked it, in the same commit', async (_, settlement, step) => {
  const { store, kid } = await openWithChild()
  await ask(store, settle(kid.lease, settlement, start + 5))
  expect(await store.steps(jobId('parent'))).toMatchObject([{ name: 'ask', child: 'kid', ...step }])
  expect(await store.job(jobId('parent'))).toMatchObject({ state: 'ready', attempt: 0, runAt: start + 5 })
  expect(await store.violations()).toEqual([])
})

test('a job that is tried again wakes nobody, one that is deleted does', async () => {
  const { store, kid } = await openWithChild()
  await ask(store, settle(kid.lease, fail()))
  expect(await store.job(jobId('parent'))).toMatchObject({ state: 'suspended' })
  const db = plainConnection(store.file)
  db.exec("DELETE FROM reeve_jobs WHERE id = 'kid'")
  expect(await store.job(jobId('parent'))).toMatchObject({ state: 'ready' })
  expect(await store.steps(jobId('parent'))).toMatchObject([
    { state: 'failed', error: { message: expect.stringContaining('deleted') } },
  ])
})

test('a suspension that is repeated after an unknown commit enqueues its child once', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('parent')))
  const { lease } = await claimOne(store)
  const command = settle(lease, suspend(invoke('ask', 'kid')))
  expect(await ask(store, command, true)).toEqual(await ask(store, command))
  expect(await store.counts()).toMatchObject({ ready: 1, suspended: 1 })
  const { jobs } = await ask(store, claim())
  expect(jobs.map(({ id }) => id)).toEqual(['kid'])
})

test('a child whose parent was cancelled goes on, and wakes nobody at its end', async () => {
  const { store, kid } = await openWithChild()
  expect(await ask(store, cancel('parent'))).toMatchObject({ type: 'cancelled' })
  await ask(store, settle(kid.lease, complete))
  expect(await store.job(jobId('parent'))).toMatchObject({ state: 'cancelled' })
  expect(await store.job(jobId('kid'))).toMatchObject({ state: 'completed' })
  expect(await store.violations()).toEqual([])
})

test('the end of a job finds who waits for it by an index, and then by its key', () => {
  const { file } = openStore()
  const db = plainConnection(file)
  const [over = ''] = db.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE name = 'reeve_steps_child_over'").pluck().all()
  const statements = over
    .slice(over.indexOf('BEGIN') + 5, over.lastIndexOf('END'))
    .split(';')
    .slice(0, 2)
  const plans = statements.map((sql) =>
    db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll(/NEW\.\w+/g, "'1'")}`).all(),
  )
  const [parents, waits] = plans.map((plan) => plan.map(({ detail }) => detail))
  expect(parents).toEqual(expect.arrayContaining([expect.stringContaining('rowid=?')]))
  expect(parents).toEqual(expect.arrayContaining([expect.stringContaining('reeve_steps_child (child=?)')]))
  expect(waits).toEqual([expect.stringContaining('reeve_steps_child (child=?)')])
})

test('old events are dropped by new ones, a few at a time, and signals are not', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('waits')))
  await ask(store, { ...emit('signal', 'x'), to: jobId('waits') })
  for (let index = 0; index < 30; index++)
    await ask(store, { ...emit(`old ${index}`, 'x'), now: start - 5_000, keepMs: 1_000_000 })
  for (let index = 0; index < 5; index++) await ask(store, emit(`new ${index}`, 'x'))
  const db = plainConnection(store.file)
  const left = db.prepare<[], string>('SELECT id FROM reeve_emitted ORDER BY seq').pluck().all()
  expect(left).toEqual(['signal', ...[0, 1, 2, 3, 4].map((index) => `new ${index}`)])
})
