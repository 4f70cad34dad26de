import type { Database } from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/persistence/sqlite/open.ts'
import { snapshotInvariants } from '../../src/persistence/sqlite/snapshot-invariants.ts'
import { createSqliteStore } from '../../src/persistence/sqlite/store.ts'
import { ask, claimOne, complete, enqueue, jobId, newJob, settle } from '../support/store/commands.ts'
import { openConnection, openStore, scratchFile } from '../support/store/scratch.ts'

const large = (name: string) => newJob(name, { input: 'x'.repeat(100_000) })

/** Lets the file grow by no page more. */
const fill = (db: Database) => void db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`)

test('on a full disk a batch is refused as a whole, earlier jobs are intact, and it works again when there is space', async () => {
  const db = openConnection()
  const store = createSqliteStore(db)
  await ask(store, enqueue(newJob('early')))
  const held = await claimOne(store)
  fill(db)
  await expect(
    store.commit([enqueue(newJob('small')), settle(held.lease, complete), enqueue(large('large'))]),
  ).rejects.toMatchObject({
    code: 'REEVE_DATABASE_FULL',
    message: expect.stringContaining(db.name),
  })
  expect(db.inTransaction).toBe(false)
  expect(await store.counts()).toMatchObject({ ready: 0, running: 1, completed: 0 })
  // What needs no new page still works, so running jobs can end.
  expect(await ask(store, settle(held.lease, complete))).toMatchObject({ state: 'completed' })
  db.pragma('max_page_count = 1000000')
  await ask(store, enqueue(large('large')))
  expect(await store.job(jobId('large'))).toMatchObject({ state: 'ready' })
  for (const { name, sql } of snapshotInvariants) expect(db.prepare(sql).all(), name).toEqual([])
})

test('another connection sees nothing of the refused batch', async () => {
  const db = openConnection()
  const store = createSqliteStore(db)
  const other = openStore({ database: db.name })
  other.changedElsewhere()
  fill(db)
  await expect(ask(store, enqueue(newJob('a'), large('b')))).rejects.toMatchObject({ code: 'REEVE_DATABASE_FULL' })
  expect(await other.job(jobId('a'))).toBeNull()
  expect(other.changedElsewhere()).toBe(false)
})

test('a file that was filled opens again with all that was acknowledged', async () => {
  const file = scratchFile()
  const db = openDatabase({ database: file })
  const store = createSqliteStore(db)
  fill(db)
  let acknowledged = 0
  const rejected = async (): Promise<unknown> => {
    for (;;) {
      try {
        await ask(store, enqueue(large(`job ${acknowledged}`)))
        acknowledged++
      } catch (error) {
        return error
      }
    }
  }
  expect(await rejected()).toMatchObject({ code: 'REEVE_DATABASE_FULL' })
  db.pragma('max_page_count = 200')
  expect(await rejected()).toMatchObject({ code: 'REEVE_DATABASE_FULL' })
  expect(acknowledged).toBeGreaterThan(0)
  await store.close()
  expect(await openStore({ database: file }).counts()).toMatchObject({ ready: acknowledged })
})
