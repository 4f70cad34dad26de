/**
 * Opens the database file. The order matters: first everything that only reads and may refuse, then the schema, and the
 * journal mode last, so that a file which Reeve refuses is left as it was.
 */
import type { Database } from 'better-sqlite3'
import { databasePath } from './database-path.ts'
import { enterWal, setDurability } from './journal.ts'
import { loadSqlite } from './load-sqlite.ts'
import { checkSchema, migrate } from './migrate.ts'
import { databaseError } from './sqlite-error.ts'
import { createSqliteStore, type SqliteStore } from './store.ts'

/** How to open a database. */
export interface OpenOptions {
  /** Path of the file; it is created where there is none, its folder is not. */
  readonly database: string
  /** What an acknowledged commit survives: a loss of power (default), or only the death of the process. */
  readonly durability?: 'power' | 'process'
  /** How long one statement waits for another connection's lock. Short: the whole supervisor waits with it. Default 50. */
  readonly busyTimeoutMs?: number
  /** The same while the file is opened: nothing else waits for this thread then, and many processes may start at once. Default 5,000. */
  readonly openTimeoutMs?: number
}

/** Pages in the log before a commit also checkpoints: 8 MiB, about one checkpoint a second at full load. */
const checkpointPages = 2_000

/** What the log is cut back to after a checkpoint, so that one large transaction does not keep its size for ever. */
const journalBytesMax = 64 * 1024 * 1024

/**
 * Opens (or creates) a database and returns the store on it.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`, `REEVE_SQLITE_MISSING`, `REEVE_SQLITE_TOO_OLD`, `REEVE_DATABASE_…`, `REEVE_SCHEMA_NEWER`
 * or `REEVE_SCHEMA_FOREIGN`; then nothing in an existing file was changed.
 * @example
 * ```ts
 * const store = openSqliteStore({ database: 'jobs.db' })
 * ```
 */
export function openSqliteStore(options: OpenOptions): SqliteStore {
  const db = openDatabase(options)
  try {
    return createSqliteStore(db)
  } catch (error) {
    db.close()
    throw databaseError(error, db.name)
  }
}

/** Opens a connection with the schema up to date and all settings made; throws as {@link openSqliteStore} does. */
export function openDatabase(options: OpenOptions): Database {
  const { database, durability = 'power', busyTimeoutMs = 50, openTimeoutMs = 5_000 } = options
  const file = databasePath(database)
  const sqlite = loadSqlite()
  let db: Database | undefined
  try {
    db = new sqlite(file, { timeout: openTimeoutMs })
    checkSchema(db, file)
    if (isEmpty(db)) db.pragma('auto_vacuum = INCREMENTAL')
    db.pragma('foreign_keys = ON')
    setDurability(db, durability)
    migrate(db, file)
    enterWal(db, file)
    db.pragma(`wal_autocheckpoint = ${checkpointPages}`)
    db.pragma(`journal_size_limit = ${journalBytesMax}`)
    db.pragma(`busy_timeout = ${busyTimeoutMs}`)
    return db
  } catch (error) {
    db?.close()
    throw databaseError(error, file)
  }
}

function isEmpty(db: Database): boolean {
  return db.pragma('page_count', { simple: true }) === 0
}
