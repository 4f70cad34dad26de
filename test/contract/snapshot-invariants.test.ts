import { expect, test } from 'vitest'
import { snapshotInvariants } from '../../src/persistence/sqlite/snapshot-invariants.ts'
import { createSqliteStore } from '../../src/persistence/sqlite/store.ts'
import { ask, claimOne, complete, enqueue, newJob, settle } from '../support/store/commands.ts'
import { openConnection } from '../support/store/scratch.ts'

/** A connection with a ready, a running and a completed job, whose constraints are off so that it can be harmed. */
async function harmable() {
  const db = openConnection()
  const store = createSqliteStore(db)
  await ask(store, enqueue(newJob('done'), newJob('runs'), newJob('waits')))
  await ask(store, settle((await claimOne(store)).lease, complete))
  await claimOne(store)
  db.pragma('ignore_check_constraints = ON')
  return db
}

const violated = (db: Awaited<ReturnType<typeof harmable>>) =>
  snapshotInvariants.filter(({ sql }) => db.prepare(sql).all().length > 0).map(({ name }) => name)

test('a healthy database has no violators', async () => {
  expect(violated(await harmable())).toEqual([])
})

test.each([
  ['running-iff-leased', "UPDATE reeve_jobs SET owner = NULL WHERE id = 'runs'"],
  ['running-iff-leased', "UPDATE reeve_jobs SET lease_expires_at = 5 WHERE id = 'waits'"],
  ['result-only-when-settled', "UPDATE reeve_jobs SET result = '1' WHERE id = 'runs'"],
  ['terminal-is-final', "UPDATE reeve_jobs SET settled_at = NULL WHERE id = 'done'"],
  ['attempts-exact', "UPDATE reeve_jobs SET attempt = 0 WHERE id = 'runs'"],
  ['token-grows-on-claim', "UPDATE reeve_jobs SET settled_token = token WHERE id = 'runs'"],
  ['cancel-running-decides-once', "UPDATE reeve_jobs SET cancel_requested = 1 WHERE id = 'done'"],
  ['suspended-has-a-waker', "UPDATE reeve_jobs SET schedule = 'nightly', in_turn = 1, state = 'suspended' WHERE id = 'waits'"],
  ['published-edges-only', "UPDATE reeve_jobs SET state = 'lost' WHERE id = 'waits'"],
])('%s finds its violator', async (name, sql) => {
  const db = await harmable()
  db.exec(sql)
  expect(violated(db)).toContain(name)
})

test('conservation and no-orphans find a job that is there twice', async () => {
  const db = await harmable()
  // The unique index no longer knows the row, so it accepts the same id again.
  db.unsafeMode(true)
  db.pragma('writable_schema = ON')
  db.exec("UPDATE sqlite_schema SET sql = replace(sql, 'UNIQUE', '') WHERE name = 'reeve_jobs'")
  db.exec("DELETE FROM sqlite_schema WHERE name = 'sqlite_autoindex_reeve_jobs_1'")
  db.pragma('schema_version = 99')
  db.exec(
    "INSERT INTO reeve_jobs (id, kind, queue, state, priority, run_at, created_at) VALUES ('waits', 'k', 'q', 'ready', 0, 0, 0)",
  )
  expect(violated(db)).toEqual(expect.arrayContaining(['conservation', 'no-orphans']))
})

test('fires-once finds a tick that was fired twice', async () => {
  const db = await harmable()
  db.exec(
    "DROP INDEX reeve_jobs_tick; UPDATE reeve_jobs SET schedule = 'nightly', scheduled_at = 5 WHERE id IN ('runs', 'waits')",
  )
  expect(violated(db)).toEqual(['fires-once'])
})

test.each([
  ['a running job without an owner', "UPDATE reeve_jobs SET owner = NULL WHERE id = 'runs'"],
  ['a lease on a waiting job', "UPDATE reeve_jobs SET owner = 'ann', lease_expires_at = 5, claim_number = 1 WHERE id = 'waits'"],
  ['a result before the end', "UPDATE reeve_jobs SET result = '1' WHERE id = 'runs'"],
  ['an end without its time', "UPDATE reeve_jobs SET settled_at = NULL WHERE id = 'done'"],
  ['more attempts than allowed', "UPDATE reeve_jobs SET attempt = 9 WHERE id = 'runs'"],
  ['a state that is none', "UPDATE reeve_jobs SET state = 'lost' WHERE id = 'waits'"],
])('the table itself refuses %s', async (_, sql) => {
  const db = await harmable()
  db.pragma('ignore_check_constraints = OFF')
  expect(() => db.exec(sql)).toThrow('CHECK constraint failed')
})
