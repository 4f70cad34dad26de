import { expect, test } from 'vitest'
import { countsSql } from '../../src/persistence/sqlite/queries/counts.ts'
import { depthSql } from '../../src/persistence/sqlite/queries/depth.ts'
import { ask, cancel, claimOne, complete, discard, enqueue, newJob, settle, start } from '../support/store/commands.ts'
import { openConnection, openStore } from '../support/store/scratch.ts'

test('counts name every state, those without a job too', async () => {
  const store = openStore()
  const none = { ready: 0, running: 0, suspended: 0, parked: 0, completed: 0, cancelled: 0, discarded: 0 }
  expect(await store.counts()).toEqual(none)
  await ask(store, enqueue(...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => newJob(name))))
  await ask(store, settle((await claimOne(store)).lease, discard))
  await ask(store, settle((await claimOne(store)).lease, complete))
  await claimOne(store)
  await ask(store, cancel('f'))
  expect(await store.counts()).toEqual({ ...none, ready: 2, running: 1, completed: 1, cancelled: 1, discarded: 1 })
})

test('a depth tells what is due from what is scheduled, in one queue or in all', async () => {
  const store = openStore()
  const [mail, later] = [{ queue: 'mail' }, { runAt: start + 1 }]
  await ask(store, enqueue(newJob('a'), newJob('b', later), newJob('c', mail), newJob('d', { ...mail, ...later })))
  await ask(store, enqueue(newJob('e', { ...mail, kind: 'send', priority: 7 }), newJob('f', mail)))
  await claimOne(store, { queues: ['mail'] })
  expect(await store.depth(start, null)).toEqual({ due: 3, scheduled: 2, running: 1 })
  expect(await store.depth(start, 'mail')).toEqual({ due: 2, scheduled: 1, running: 1 })
  expect(await store.depth(start + 1, 'default')).toEqual({ due: 2, scheduled: 0, running: 0 })
  expect(await store.depth(start, 'nothing')).toEqual({ due: 0, scheduled: 0, running: 0 })
})

test('the oldest due job is found whatever its kind, queue and priority, and scheduled ones are not due', async () => {
  const store = openStore()
  const jobs = [
    newJob('a', { runAt: start - 5, priority: 9 }),
    newJob('b', { runAt: start - 70, priority: -3 }),
    newJob('e', { runAt: start - 30, kind: 'send' }),
    newJob('c', { runAt: start - 60, queue: 'mail' }),
    newJob('d', { runAt: start + 5, queue: 'later' }),
  ]
  await ask(store, enqueue(...jobs))
  expect(await store.oldestDueAt(start, null)).toBe(start - 70)
  expect(await store.oldestDueAt(start, 'default')).toBe(start - 70)
  expect(await store.oldestDueAt(start, 'mail')).toBe(start - 60)
  expect(await store.oldestDueAt(start, 'later')).toBeNull()
  expect(await store.oldestDueAt(start, 'nothing')).toBeNull()
})

test('jobs in groups count like others, and are as late as others', async () => {
  const store = openStore()
  const grouped = (name: string, runAt: number, queue = 'default') => newJob(name, { group: 'host', runAt, queue })
  await ask(store, enqueue(grouped('a', start - 90), grouped('b', start + 1), grouped('c', start - 5, 'mail'), newJob('d')))
  expect(await store.depth(start, null)).toEqual({ due: 3, scheduled: 1, running: 0 })
  expect(await store.depth(start, 'mail')).toEqual({ due: 1, scheduled: 0, running: 0 })
  expect(await store.oldestDueAt(start, null)).toBe(start - 90)
  expect(await store.oldestDueAt(start, 'mail')).toBe(start - 5)
  await claimOne(store)
  await claimOne(store)
  expect(await store.counts()).toMatchObject({ ready: 2, running: 2 })
})

test('no count reads the table: each is answered by an index of the jobs that it counts', () => {
  const db = openConnection()
  const parameters = { now: 1, queue: 'q', kind: 'k', priority: 0 }
  for (const sql of [countsSql, ...Object.values(depthSql)]) {
    const named = Object.fromEntries(Object.entries(parameters).filter(([name]) => sql.includes(`@${name}`)))
    const plan = db
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(named)
      .map(({ detail }) => detail)
    const ofJobs = plan.filter((detail) => detail.includes('reeve_jobs'))
    expect(ofJobs.filter((detail) => !/USING (COVERING )?INDEX reeve_jobs_\w+/.test(detail))).toEqual([])
    expect(plan.filter((detail) => detail.includes('TEMP B-TREE'))).toEqual([])
  }
})

test('how late the queue is is found by seeks', () => {
  const db = openConnection()
  for (const sql of [depthSql.nextKind, depthSql.nextQueue, depthSql.priorityBelow, depthSql.firstRunAt]) {
    const named = Object.fromEntries(
      ['queue', 'kind', 'priority'].filter((name) => sql.includes(`@${name}`)).map((name) => [name, 'q']),
    )
    const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(named)
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^SEARCH reeve_jobs USING (COVERING )?INDEX reeve_jobs_ready_by_kind/),
    ])
  }
})
