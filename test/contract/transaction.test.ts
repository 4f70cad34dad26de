import { expect, test } from 'vitest'
import { databaseError } from '../../src/persistence/sqlite/sqlite-error.ts'
import { runTransaction } from '../../src/persistence/sqlite/transaction.ts'
import { ask, cancel, claim, enqueue, jobId, newJob } from '../support/store/commands.ts'
import { openConnection, openStore, plainConnection } from '../support/store/scratch.ts'

test('the commands of one commit are answered in order, and each sees those before it', async () => {
  const store = openStore()
  const answers = await store.commit([enqueue(newJob('a'), newJob('b')), cancel('a'), claim(), cancel('b')])
  expect(answers).toMatchObject([
    { type: 'enqueued' },
    { type: 'cancelled' },
    { type: 'claimed', jobs: [{ id: 'b' }] },
    { type: 'cancel-requested', owner: 'ann' },
  ])
  expect(await store.commit([])).toEqual([])
})

test('while another connection writes, a commit is busy, changes nothing, and works afterwards', async () => {
  const store = openStore({ busyTimeoutMs: 1 })
  const other = plainConnection(store.file)
  other.exec('BEGIN IMMEDIATE')
  await expect(ask(store, enqueue(newJob('a')))).rejects.toMatchObject({ code: 'REEVE_DATABASE_BUSY' })
  other.exec('COMMIT')
  expect(await store.job(jobId('a'))).toBeNull()
  await ask(store, enqueue(newJob('a')))
})

test('a reader does not keep a commit waiting', async () => {
  const store = openStore({ busyTimeoutMs: 1 })
  const other = plainConnection(store.file)
  other.exec('BEGIN')
  other.prepare('SELECT * FROM reeve_jobs').all()
  await ask(store, enqueue(newJob('a')))
})

test('a COMMIT that SQLite refuses with the transaction still open is rolled back, and certain', () => {
  const db = openConnection()
  db.exec('CREATE TABLE parent (id PRIMARY KEY); CREATE TABLE child (id REFERENCES parent DEFERRABLE INITIALLY DEFERRED)')
  const orphan = () => void db.exec('INSERT INTO child VALUES (1)')
  expect(() => runTransaction(db, db.name, orphan)).toThrow(expect.objectContaining({ code: 'REEVE_DATABASE_IO' }))
  expect(db.inTransaction).toBe(false)
  expect(db.prepare('SELECT count(*) FROM child').pluck().get()).toBe(0)
})

test('a COMMIT that fails with the transaction closed has an unknown outcome', () => {
  const db = openConnection()
  // The transaction is gone before COMMIT, as after an I/O error that made SQLite close it.
  const close = () => void db.exec('ROLLBACK')
  expect(() => runTransaction(db, db.name, close)).toThrow(expect.objectContaining({ code: 'REEVE_COMMIT_UNKNOWN' }))
})

test('an error that is not of SQLite is passed on as it is, after a rollback', () => {
  const db = openConnection()
  const bug = new TypeError('a bug')
  const body = () => {
    db.exec("INSERT INTO reeve_supervisors VALUES ('ann', 1)")
    throw bug
  }
  expect(() => runTransaction(db, db.name, body)).toThrow(bug)
  expect(db.prepare('SELECT count(*) FROM reeve_supervisors').pluck().get()).toBe(0)
})

test.each([
  ['SQLITE_FULL', 'REEVE_DATABASE_FULL'],
  ['SQLITE_BUSY', 'REEVE_DATABASE_BUSY'],
  ['SQLITE_BUSY_SNAPSHOT', 'REEVE_DATABASE_BUSY'],
  ['SQLITE_LOCKED', 'REEVE_DATABASE_BUSY'],
  ['SQLITE_IOERR_FSYNC', 'REEVE_DATABASE_IO'],
  ['SQLITE_READONLY_DBMOVED', 'REEVE_DATABASE_UNWRITABLE'],
  ['SQLITE_CANTOPEN', 'REEVE_DATABASE_UNWRITABLE'],
  ['SQLITE_CORRUPT_INDEX', 'REEVE_DATABASE_NOT_SQLITE'],
  ['SQLITE_NOTADB', 'REEVE_DATABASE_NOT_SQLITE'],
  ['SQLITE_NOMEM', 'REEVE_DATABASE_IO'],
])('%s becomes %s, with the file and the words of SQLite', (code, expected) => {
  const cause = Object.assign(new Error('the words'), { code })
  expect(databaseError(cause, '/data/jobs.db')).toMatchObject({
    code: expected,
    message: expect.stringMatching(/\/data\/jobs\.db.*the words/),
    cause,
  })
})
