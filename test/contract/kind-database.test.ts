import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { KindMigration } from '../../src/job/kind-database.ts'
import { openKindDatabase } from '../../src/persistence/kind-database/open.ts'
import { plainConnection, scratchFile } from '../support/store/scratch.ts'

const pages: KindMigration = { name: 'pages', up: 'CREATE TABLE pages (url TEXT PRIMARY KEY) STRICT' }
const words: KindMigration = { name: 'words', up: 'CREATE TABLE words (page TEXT NOT NULL REFERENCES pages) STRICT' }

function open(file: string | URL, ...migrations: KindMigration[]) {
  const opened = openKindDatabase({ file, migrations })
  onTestFinished(() => opened.close())
  return opened.db
}

/** The error that opening fails with. */
function failure(file: string, ...migrations: KindMigration[]): unknown {
  try {
    openKindDatabase({ file, migrations }).close()
  } catch (error) {
    return error
  }
  throw new Error('It was opened.')
}

const tablesOf = (file: string) =>
  plainConnection(file).prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all()

test('migrations run once, in order, and one that is added later runs alone', () => {
  const file = scratchFile()
  const ran: string[] = []
  const noted = (name: string): KindMigration => ({ name, up: () => void ran.push(name) })
  open(file, noted('a'), noted('b'))
  open(pathToFileURL(file), noted('a'), noted('b'))
  open(file, noted('a'), noted('b'), noted('c'))
  expect(ran).toEqual(['a', 'b', 'c'])
})

test('a migration that fails changes nothing, not even what ran before it in the same go', () => {
  const file = scratchFile()
  open(file, pages)
  const error = failure(file, pages, words, {
    name: 'fills',
    up(db) {
      db.exec("INSERT INTO pages VALUES ('a')")
      throw new RangeError('no more')
    },
  })
  expect(error).toMatchObject({
    code: 'REEVE_MIGRATION_FAILED',
    message: expect.stringContaining("'fills': no more"),
    cause: { name: 'RangeError' },
  })
  expect(tablesOf(file)).toEqual(['pages', 'reeve_kind_migrations'])
  expect(open(file, pages, words).prepare('SELECT count(*) FROM pages').pluck().get()).toBe(0)
})

test.each<[string, KindMigration[], string]>([
  ['taken away', [pages], "'words' has run there, and no such migration is declared any more"],
  ['reordered', [words, pages], "'pages' has run there, and 'words' is declared in its place"],
])('migrations that have run and were %s are refused', (_how, now, why) => {
  const file = scratchFile()
  open(file, pages, words)
  expect(failure(file, ...now)).toMatchObject({ code: 'REEVE_MIGRATION_FAILED', message: expect.stringContaining(why) })
})

test.each<[string, KindMigration['up'], string]>([
  ['ends its transaction', 'CREATE TABLE a (b); COMMIT', "'bad' ended the transaction that it runs in"],
  ['is asynchronous', (async () => undefined) as never, "'bad' is asynchronous"],
  ['breaks a foreign key', "INSERT INTO words VALUES ('nowhere')", "they leave rows in 'words' that break a foreign key"],
])('a migration that %s is refused', (_what, up, why) => {
  const file = scratchFile()
  open(file, pages, words)
  expect(failure(file, pages, words, { name: 'bad', up })).toMatchObject({
    code: 'REEVE_MIGRATION_FAILED',
    message: expect.stringContaining(why),
  })
})

test('a table that others point at can be rebuilt by a migration, and foreign keys hold afterwards', () => {
  const file = scratchFile()
  open(file, pages, words).exec("INSERT INTO pages VALUES ('a'); INSERT INTO words VALUES ('a')")
  const rebuild =
    'CREATE TABLE new (url TEXT PRIMARY KEY, at INTEGER) STRICT; INSERT INTO new SELECT url, 0 FROM pages; DROP TABLE pages; ALTER TABLE new RENAME TO pages'
  const db = open(file, pages, words, { name: 'at', up: rebuild })
  expect(db.prepare('SELECT page, at FROM words JOIN pages ON url = page').all()).toEqual([{ page: 'a', at: 0 }])
  expect(() => db.exec("INSERT INTO words VALUES ('nowhere')")).toThrow('FOREIGN KEY')
})

test('the file of a queue is refused and left as it was', () => {
  const file = scratchFile()
  plainConnection(file).exec('CREATE TABLE reeve_jobs (id)')
  expect(failure(file, pages)).toMatchObject({
    code: 'REEVE_OPTION_INVALID',
    message: expect.stringContaining("a queue's database"),
  })
  expect(tablesOf(file)).toEqual(['reeve_jobs'])
})

test('what a commit there has acknowledged survives a loss of power, and readers hold up no writer', () => {
  const file = scratchFile()
  const db = open(file, pages)
  expect([db.pragma('journal_mode', { simple: true }), db.pragma('synchronous', { simple: true })]).toEqual(['wal', 2])
  expect(existsSync(`${file}-wal`)).toBe(true)
})
