import { expect, test } from 'vitest'
import type { LockCommand } from '../../../src/persistence/commands/lock.ts'
import type { SqliteStore } from '../../../src/persistence/sqlite/store.ts'
import {
  ask,
  claim,
  complete,
  declareLimits,
  enqueue,
  lease,
  newJob,
  ownerId,
  reclaim,
  settle,
  snooze,
  start,
} from '../../support/store/commands.ts'
import { openStore, plainConnection } from '../../support/store/scratch.ts'

/** `send` must have both locks; `resize` none. */
async function open() {
  const store = openStore()
  plainConnection(store.file).exec("INSERT INTO reeve_supervisors (owner, pid) VALUES ('ann', 1), ('bob', 1)")
  await ask(store, declareLimits({ scope: 'kind', name: 'send', exclusive: ['mail', 'door'] }))
  await ask(
    store,
    enqueue(...['s1', 's2'].map((name) => newJob(name, { kind: 'send' })), newJob('r1', { kind: 'resize', runAt: start + 1 })),
  )
  return store
}

const appLock = (name: string, given: Partial<LockCommand> = {}): LockCommand => ({
  ...{ type: 'lock', now: start + 10, name, taking: `app ${name}`, owner: ownerId('bob'), lease: null, expiresAt: null },
  ...given,
})
const claimed = async (store: SqliteStore, now = start + 10) => {
  const answer = await ask(store, claim({ now }))
  return { ...answer, ids: answer.jobs.map(({ id }) => id) }
}

test('a job of an exclusive kind holds all its locks, so no second one is claimed with it or after it', async () => {
  const store = await open()
  const { ids, limited } = await claimed(store)
  expect(ids).toEqual(['s1', 'r1'])
  expect(limited).toBe(true)
  for (const name of ['mail', 'door']) expect(await store.lockHolder(name, start)).toMatchObject({ jobId: 's1' })
  expect((await claimed(store)).ids).toEqual([])
})

test('where one of its locks is held, none is taken and no job of the kind is claimed', async () => {
  const store = await open()
  await ask(store, appLock('mail'))
  expect((await claimed(store)).ids).toEqual(['r1'])
  expect(await store.lockHolder('door', start)).toBeNull()
  await ask(store, { type: 'unlock', name: 'mail', taking: 'app mail' })
  expect((await claimed(store)).ids).toEqual(['s1'])
})

test('a lock that a job was claimed with is busy for all others, and its own handler is told that it has it', async () => {
  const store = await open()
  const { jobs } = await claimed(store)
  expect((await ask(store, appLock('door'))).outcome).toMatchObject({ type: 'busy', holder: { jobId: 's1' } })
  const own = { ...appLock('door'), owner: ownerId('ann'), lease: lease('s1', jobs[0]?.token ?? 0) }
  expect((await ask(store, own)).outcome).toEqual({ type: 'own' })
})

test.each(['settle', 'reclaim'] as const)('the locks of an exclusive job are free with its %s', async (end) => {
  const store = await open()
  await claimed(store)
  if (end === 'settle') await ask(store, settle(lease('s1', 1), complete, start + 10))
  else await ask(store, reclaim('ann', start + 10))
  expect(await store.lockHolder('mail', start + 10)).toBeNull()
  if (end === 'settle') expect((await claimed(store)).ids).toEqual(['s2'])
})

test('a job that was snoozed takes its locks anew', async () => {
  const store = await open()
  await claimed(store)
  await ask(store, settle(lease('s1', 1), snooze(5), start + 10))
  expect((await claimed(store, start + 20)).ids).toEqual(['s2'])
  await ask(store, settle(lease('s2', 1), complete, start + 20))
  expect((await claimed(store, start + 20)).ids).toEqual(['s1'])
  expect(await store.lockHolder('mail', start)).toMatchObject({ jobId: 's1' })
})

test('a holder with a bound tells the claim when to look again', async () => {
  const store = await open()
  await ask(store, appLock('mail', { expiresAt: start + 500 }))
  const { ids, nextRunAt } = await claimed(store)
  expect(ids).toEqual(['r1'])
  expect(nextRunAt).toBe(start + 500)
  expect((await claimed(store, start + 500)).ids).toEqual(['s1'])
})

test('a claim that is repeated has its locks still, once', async () => {
  const store = await open()
  const command = claim({ now: start + 10 })
  const first = await ask(store, command)
  expect(await ask(store, command, true)).toEqual(first)
  expect(plainConnection(store.file).prepare('SELECT name FROM reeve_locks ORDER BY name').pluck().all()).toEqual([
    'door',
    'mail',
  ])
})
