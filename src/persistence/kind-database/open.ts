/**
 * Opens the database of a kind's own tables, on a worker: the one file of this folder's that a worker loads, and only where a
 * kind declares one. It is a file of its own, so nothing that a handler does there can hold up or harm the queue.
 */
import { fileURLToPath } from 'node:url'
import type { Database } from 'better-sqlite3'
import { optionInvalid } from '../../errors.ts'
import type { KindDatabaseOptions } from '../../job/kind-database.ts'
import { databasePath } from '../sqlite/database-path.ts'
import { enterWal, setDurability } from '../sqlite/journal.ts'
import { loadSqlite } from '../sqlite/load-sqlite.ts'
import { databaseError } from '../sqlite/sqlite-error.ts'
import { migrateKindDatabase } from './migrate.ts'

/** How long a statement waits for another worker's lock. It keeps only its own thread waiting. */
const busyTimeoutMs = 5_000

/** The migrations of other workers may take long: how long this one waits for them. */
const openTimeoutMs = 60_000

/** A database that is open, as the worker keeps it. */
export interface OpenKindDatabase {
  readonly db: Database
  /** False once a handler has closed it. */
  readonly isOpen: boolean
  /** Rolls back what a handler has left open, and tells whether there was anything. */
  rollBack(): boolean
  close(): void
}

/**
 * Opens (or creates) the file, and runs the migrations that are missing there.
 *
 * @throws ReeveError `REEVE_MIGRATION_FAILED`, `REEVE_SQLITE_…`, `REEVE_DATABASE_…`, or `REEVE_OPTION_INVALID` for the file of a
 * queue, in which nothing is changed.
 */
export function openKindDatabase({ file, migrations = [] }: KindDatabaseOptions): OpenKindDatabase {
  const isUrl = file instanceof URL || file.startsWith('file:')
  const path = databasePath(isUrl ? fileURLToPath(file) : file)
  const sqlite = loadSqlite()
  let db: Database | undefined
  try {
    db = new sqlite(path, { timeout: openTimeoutMs })
    refuseQueue(db, path)
    setDurability(db, 'power')
    enterWal(db, path)
    migrateKindDatabase(db, path, migrations)
    db.pragma('foreign_keys = ON')
    db.pragma(`busy_timeout = ${busyTimeoutMs}`)
    return handleOf(db)
  } catch (error) {
    db?.close()
    throw databaseError(error, path)
  }
}

function handleOf(db: Database): OpenKindDatabase {
  return {
    db,
    get isOpen() {
      return db.open
    },
    rollBack() {
      if (!db.open || !db.inTransaction) return false
      db.exec('ROLLBACK')
      return true
    },
    close: () => void db.close(),
  }
}

/** A handler in a transaction there would stop the whole queue, and a dropped table would be the end of it. */
function refuseQueue(db: Database, path: string): void {
  const ours = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'reeve_jobs' OR name = 'reeve_migrations'").get()
  if (ours !== undefined) throw optionInvalid('sqlite.file', path, "a file of its own; this one is a queue's database")
}
