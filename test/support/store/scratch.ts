/** Real SQLite files in folders of their own, gone when the test is over. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { loadSqlite } from '../../../src/persistence/sqlite/load-sqlite.ts'
import { type OpenOptions, openDatabase, openSqliteStore } from '../../../src/persistence/sqlite/open.ts'
import type { SqliteStore } from '../../../src/persistence/sqlite/store.ts'

/** A new folder, removed when the present test is over. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The path of a database that does not exist yet. */
export function scratchFile(): string {
  return join(scratchFolder(), 'jobs.db')
}

/** A store on a new file, or on the file given; closed when the test is over. */
export function openStore(options: Partial<OpenOptions> = {}): SqliteStore {
  const store = openSqliteStore({ database: options.database ?? scratchFile(), durability: 'process', ...options })
  onTestFinished(() => store.close())
  return store
}

/** A connection with our schema, for a test that composes the store itself. */
export function openConnection(options: Partial<OpenOptions> = {}): Database {
  const db = openDatabase({ database: options.database ?? scratchFile(), durability: 'process', ...options })
  onTestFinished(() => void db.close())
  return db
}

/** A plain connection, as another program would open the file: no schema check, no settings. */
export function plainConnection(file: string): Database {
  const db = new (loadSqlite())(file, { timeout: 50 })
  onTestFinished(() => void db.close())
  return db
}
