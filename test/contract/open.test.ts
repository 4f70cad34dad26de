import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ReeveError } from '../../src/errors.ts'
import { isAtLeast, requireSqliteVersion, sqliteVersionMin } from '../../src/persistence/sqlite/load-sqlite.ts'
import { schemaVersion } from '../../src/persistence/sqlite/migrate.ts'
import { type OpenOptions, openDatabase, openSqliteStore } from '../../src/persistence/sqlite/open.ts'
import { ask, enqueue, jobId, newJob } from '../support/store/commands.ts'
import { makeReadOnly, notReadOnly } from '../support/store/read-only.ts'
import { openConnection, openStore, plainConnection, scratchFile, scratchFolder } from '../support/store/scratch.ts'

/** What opening says: the code and the message, which must name the file. */
function refusal(database: string, options: Partial<OpenOptions> = {}): ReeveError {
  try {
    openDatabase({ database, ...options }).close()
  } catch (error) {
    if (error instanceof ReeveError) return error
    throw error
  }
  throw new Error('the database was opened')
}

/** Every file of a folder with its bytes, to see that a refusal changed nothing. */
const contents = (folder: string) => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('hex')])

/** A database of an app, in SQLite's default journal mode, with one table. */
function appDatabase(sql = ''): string {
  const file = scratchFile()
  const db = plainConnection(file)
  db.exec(`CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine'); ${sql}`)
  db.close()
  return file
}

test.each([
  ['power', 2],
  ['process', 1],
] as const)('durability %s really sets synchronous to %i, in WAL', (durability, synchronous) => {
  const db = openConnection({ durability })
  expect(db.pragma('synchronous', { simple: true })).toBe(synchronous)
  expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
  expect(db.pragma('foreign_keys', { simple: true })).toBe(1)
  expect(db.pragma('auto_vacuum', { simple: true })).toBe(2)
  expect(db.pragma('busy_timeout', { simple: true })).toBe(50)
})

test.runIf(process.platform === 'darwin')('durability power reaches the platter on macOS', () => {
  const db = openConnection({ durability: 'power' })
  expect(db.pragma('fullfsync', { simple: true })).toBe(1)
  expect(db.pragma('checkpoint_fullfsync', { simple: true })).toBe(1)
})

test("an app's own tables in the same file stay as they are", async () => {
  const file = appDatabase()
  const store = openStore({ database: file })
  await ask(store, enqueue(newJob('a')))
  expect(plainConnection(file).prepare('SELECT text FROM notes').pluck().all()).toEqual(['mine'])
})

test('a file is found by every path that leads to it', async () => {
  const file = scratchFile()
  const link = join(scratchFolder(), 'link.db')
  symlinkSync(dirname(file), join(dirname(link), 'folder'))
  const store = openStore({ database: file })
  expect(openStore({ database: join(dirname(link), 'folder', 'jobs.db') }).file).toBe(store.file)
})

test.each([
  ['a short text', () => Buffer.from('hello')],
  ['a long text', () => Buffer.alloc(20_000, 'lorem ipsum ')],
  ['a damaged header', () => Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(9_000, 0xff)])],
])('%s is refused as no database, and left as it is', (_, bytes) => {
  const file = scratchFile()
  writeFileSync(file, bytes())
  const before = contents(dirname(file))
  expect(refusal(file)).toMatchObject({ code: 'REEVE_DATABASE_NOT_SQLITE', message: expect.stringContaining(file) })
  expect(contents(dirname(file))).toEqual(before)
})

test('a path that is a folder, lies under a file, or in a folder that is not there, is refused with what to do', () => {
  const folder = scratchFolder()
  mkdirSync(join(folder, 'sub'))
  writeFileSync(join(folder, 'file'), '')
  expect(refusal(join(folder, 'sub'))).toMatchObject({
    code: 'REEVE_DATABASE_UNWRITABLE',
    message: expect.stringContaining('is a folder'),
  })
  expect(refusal(join(folder, 'file', 'jobs.db'))).toMatchObject({
    code: 'REEVE_DATABASE_UNWRITABLE',
    message: expect.stringContaining('is not a folder'),
  })
  expect(refusal(join(folder, 'none', 'jobs.db'))).toMatchObject({
    code: 'REEVE_DATABASE_UNWRITABLE',
    message: expect.stringContaining('create it first'),
  })
  expect(readdirSync(folder)).toEqual(['file', 'sub'])
})

test('a folder that cannot be written to is refused', ({ skip }) => {
  const folder = scratchFolder()
  if (!makeReadOnly(folder)) skip(notReadOnly)
  const file = join(folder, 'jobs.db')
  expect(refusal(file)).toMatchObject({ code: 'REEVE_DATABASE_UNWRITABLE', message: expect.stringContaining(file) })
})

test('a file that cannot be written to is refused and left as it is', ({ skip }) => {
  const file = appDatabase()
  const before = contents(dirname(file))
  if (!makeReadOnly(file)) skip(notReadOnly)
  expect(refusal(file)).toMatchObject({ code: 'REEVE_DATABASE_UNWRITABLE', message: expect.stringContaining(file) })
  expect(contents(dirname(file))).toEqual(before)
})

test.each([':memory:', '', ' jobs.db', 'file:jobs.db'])("'%s' is no path of a database", (database) => {
  expect(refusal(database)).toMatchObject({ code: 'REEVE_OPTION_INVALID', message: expect.stringContaining("Option 'database'") })
})

test('a file of a newer Reeve is refused and left as it is', () => {
  const file = scratchFile()
  const db = openDatabase({ database: file })
  db.prepare("INSERT INTO reeve_migrations (version, name) VALUES (?, 'from the future')").run(schemaVersion + 1)
  db.close()
  const before = contents(dirname(file))
  expect(refusal(file)).toMatchObject({
    code: 'REEVE_SCHEMA_NEWER',
    message: expect.stringContaining(`version ${schemaVersion + 1}`),
  })
  expect(contents(dirname(file))).toEqual(before)
})

test.each([
  ['a table with our prefix', 'CREATE TABLE reeve_notes (text)'],
  ['a table with the name of ours', 'CREATE TABLE reeve_jobs (id)'],
  ['a view with our prefix', 'CREATE VIEW reeve_view AS SELECT * FROM notes'],
  ['another reeve_migrations', 'CREATE TABLE reeve_migrations (id)'],
  ["another's record", "CREATE TABLE reeve_migrations (version, name); INSERT INTO reeve_migrations VALUES (1, 'other')"],
  [
    "another's record with tables named as ours",
    `CREATE TABLE reeve_jobs (a); CREATE TABLE reeve_inputs (a); CREATE TABLE reeve_supervisors (a);
      CREATE TABLE reeve_migrations (version, name); INSERT INTO reeve_migrations VALUES (1, 'other')`,
  ],
  [
    'a record without the tables',
    "CREATE TABLE reeve_migrations (version, name); INSERT INTO reeve_migrations VALUES (1, 'jobs')",
  ],
])('%s that Reeve did not make is refused, and the file is left as it is', (_, sql) => {
  const file = appDatabase(sql)
  const before = contents(dirname(file))
  expect(refusal(file)).toMatchObject({ code: 'REEVE_SCHEMA_FOREIGN', message: expect.stringContaining(file) })
  expect(contents(dirname(file))).toEqual(before)
})

test('a database that another program keeps locked is busy, not broken', () => {
  const file = appDatabase()
  plainConnection(file).exec('BEGIN EXCLUSIVE')
  expect(refusal(file, { openTimeoutMs: 1 })).toMatchObject({ code: 'REEVE_DATABASE_BUSY' })
})

test('an SQLite older than the floor is refused; the floor itself is not', () => {
  expect(() => requireSqliteVersion('3.51.2')).toThrow(expect.objectContaining({ code: 'REEVE_SQLITE_TOO_OLD' }))
  expect(() => requireSqliteVersion('unknown')).toThrow(expect.objectContaining({ code: 'REEVE_SQLITE_TOO_OLD' }))
  requireSqliteVersion(sqliteVersionMin)
  requireSqliteVersion('3.100.0')
  expect([isAtLeast('3.9.9', '3.51.3'), isAtLeast('4', '3.51.3'), isAtLeast('3.51', '3.51.3')]).toEqual([false, true, false])
})

test('jobs survive the closing of the last store, and its log is gone', async () => {
  const file = scratchFile()
  const store = openSqliteStore({ database: file, durability: 'process' })
  await ask(store, enqueue(newJob('a')))
  await store.close()
  await store.close()
  expect(readdirSync(dirname(file))).toEqual(['jobs.db'])
  expect(await openStore({ database: file }).job(jobId('a'))).toMatchObject({ id: 'a' })
})

test('a closed store says so', async () => {
  const store = openStore()
  await store.close()
  await expect(store.job(jobId('a'))).rejects.toMatchObject({ code: 'REEVE_RUNTIME_CLOSED' })
})
