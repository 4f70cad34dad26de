import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { migrate, migrations, schemaVersion } from '../../src/persistence/sqlite/migrate.ts'
import { openDatabase } from '../../src/persistence/sqlite/open.ts'
import { claimOne, jobId } from '../support/store/commands.ts'
import { openConnection, openStore, plainConnection, scratchFile } from '../support/store/scratch.ts'

/** A child that waits for the path of a database to open. */
async function opener(): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('../support/store/open-in-process.ts', import.meta.url)))
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'message')
  return child
}

test('migrations are numbered from 1 without gaps, and recorded', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1))
  const recorded = openConnection().prepare('SELECT version, name FROM reeve_migrations').all()
  expect(recorded).toEqual(migrations.map(({ version, name }) => ({ version, name })))
  expect(recorded).toHaveLength(schemaVersion)
})

test('each migration names all tables that it makes', () => {
  const made = openConnection()
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name LIKE 'reeve%'")
    .pluck()
    .all()
  expect(made.toSorted()).toEqual(['reeve_migrations', ...migrations.flatMap(({ tables }) => tables)].toSorted())
})

test('a second opening migrates nothing', () => {
  const db = openConnection()
  expect(migrate(db, db.name)).toBe(0)
})

test('a migration that fails leaves the file as it was', () => {
  const db = plainConnection(scratchFile())
  // The index is the last but one thing that the first migration makes.
  db.exec('CREATE TABLE t (a); CREATE INDEX reeve_jobs_running ON t (a)')
  expect(() => migrate(db, db.name)).toThrow(expect.objectContaining({ name: 'ReeveError' }))
  expect(db.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['t', 'reeve_jobs_running'])
})

test('where another process migrates between the look and the lock, it is not done again', () => {
  const file = scratchFile()
  const db = plainConnection(file)
  const prepare = db.prepare.bind(db)
  // The lock is prepared after the look, so this is the gap.
  db.prepare = ((sql: string) => {
    if (sql === 'BEGIN IMMEDIATE') openDatabase({ database: file }).close()
    return prepare(sql)
  }) as typeof db.prepare
  expect(migrate(db, file)).toBe(0)
})

test('four processes that open a new file at the same moment all succeed, and it is migrated once', async () => {
  const file = scratchFile()
  const children = await Promise.all([opener(), opener(), opener(), opener()])
  const answers = children.map(async (child) => (await once(child, 'message'))[0])
  for (const child of children) child.send(file)
  expect(await Promise.all(answers)).toEqual(['opened', 'opened', 'opened', 'opened'])
  expect(plainConnection(file).prepare('SELECT count(*) FROM reeve_migrations').pluck().get()).toBe(schemaVersion)
})

test('a file of the first schema is brought up to date with all its jobs, none of them a suspect', async () => {
  const file = scratchFile()
  const db = plainConnection(file)
  const first = migrations[0]
  if (first === undefined) throw new Error('there is no first migration')
  db.exec('CREATE TABLE reeve_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT')
  db.exec(first.sql)
  db.exec("INSERT INTO reeve_migrations VALUES (1, 'jobs')")
  db.exec(`INSERT INTO reeve_jobs (id, kind, queue, state, priority, run_at, created_at, token, attempt, attempts_max, crashes, claimed_at)
    VALUES ('old', 'resize', 'default', 'ready', 0, 1, 1, 2, 2, 3, 2, 1)`)
  const store = openStore({ database: file })
  expect(await store.job(jobId('old'))).toMatchObject({ state: 'ready', crashes: 2, crashLog: [], isSuspect: false })
  expect(await store.violations()).toEqual([])
  expect(await claimOne(store)).toMatchObject({ id: 'old', attempt: 3 })
})
