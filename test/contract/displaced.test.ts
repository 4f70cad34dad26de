import { copyFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ask, enqueue, newJob } from '../support/store/commands.ts'
import { openStore, plainConnection } from '../support/store/scratch.ts'

async function openWithJob() {
  const store = openStore()
  await ask(store, enqueue(newJob('a')))
  return store
}

test('a file in its place is not displaced, whatever is written', async () => {
  const store = await openWithJob()
  expect(store.displaced()).toBeNull()
  await store.checkpoint()
  expect(store.displaced()).toBeNull()
})

test.each(['', '-wal'])('a database whose file jobs.db%s is deleted is displaced, and the error names it', async (part) => {
  const store = await openWithJob()
  expect(store.displaced()).toBeNull()
  rmSync(`${store.file}${part}`)
  expect(store.displaced()).toMatchObject({
    code: 'REEVE_DATABASE_DISPLACED',
    message: expect.stringContaining(`${store.file}${part}, was deleted or moved`),
  })
})

test('a database that another file has taken the place of is displaced', async () => {
  const store = await openWithJob()
  copyFileSync(store.file, `${store.file}.backup`)
  renameSync(`${store.file}.backup`, store.file)
  expect(store.displaced()?.message).toContain('was replaced by another file')
})

test('a database that was moved away and put back is not displaced any more', async () => {
  const store = await openWithJob()
  renameSync(store.file, `${store.file}.away`)
  expect(store.displaced()).not.toBeNull()
  renameSync(`${store.file}.away`, store.file)
  expect(store.displaced()).toBeNull()
})

test('a checkpoint cuts the log back, and is no commit for other connections where there was nothing to do', async () => {
  const store = await openWithJob()
  const other = openStore({ database: store.file })
  expect(statSync(`${store.file}-wal`).size).toBeGreaterThan(0)
  await store.checkpoint()
  expect(statSync(`${store.file}-wal`).size).toBe(0)
  other.changedElsewhere()
  await store.checkpoint()
  await other.checkpoint()
  expect([store.changedElsewhere(), other.changedElsewhere()]).toEqual([false, false])
})

test.each(['BEGIN IMMEDIATE', 'BEGIN; SELECT * FROM reeve_jobs'])(
  'a checkpoint that meets %s leaves the rest for the next one',
  async (sql) => {
    const store = openStore({ busyTimeoutMs: 1 })
    await ask(store, enqueue(newJob('a')))
    const other = plainConnection(store.file)
    other.exec(sql)
    await store.checkpoint()
    const log = `${store.file}-wal`
    expect(statSync(log).size).toBeGreaterThan(0)
    other.exec('COMMIT')
    await store.checkpoint()
    expect(statSync(log).size).toBe(0)
  },
)
