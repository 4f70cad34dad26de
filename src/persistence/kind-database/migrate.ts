/**
 * The migrations of a kind's own database. What is missing runs in one transaction, all or nothing, that first looks again at what is
 * recorded: any number of threads and processes may come at the same moment.
 */
import type { Database } from 'better-sqlite3'
import { ReeveError } from '../../errors.ts'
import type { KindMigration } from '../../job/kind-database.ts'
import { runTransaction } from '../sqlite/transaction.ts'

/**
 * Runs what is missing, in order. Foreign keys are checked as a whole at the end and not in between, so that a table can be rebuilt.
 *
 * @throws ReeveError `REEVE_MIGRATION_FAILED` with nothing changed: one of them failed, or others have run in this file.
 */
export function migrateKindDatabase(db: Database, file: string, migrations: readonly KindMigration[]): void {
  // Read first: with nothing to do, no worker waits for another one's lock.
  if (missing(db, file, migrations).length === 0) return
  db.pragma('foreign_keys = OFF')
  runTransaction(db, file, () => {
    db.exec('CREATE TABLE IF NOT EXISTS reeve_kind_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT')
    for (const [version, migration] of missing(db, file, migrations)) {
      run(db, file, migration)
      db.prepare('INSERT INTO reeve_kind_migrations (version, name) VALUES (?, ?)').run(version, migration.name)
    }
    const [orphan] = db.pragma('foreign_key_check') as { readonly table: string }[]
    if (orphan !== undefined) throw failure(file, `they leave rows in '${orphan.table}' that break a foreign key`)
  })
}

/** What has not run yet, with its number, from 1. */
function missing(db: Database, file: string, migrations: readonly KindMigration[]): [version: number, KindMigration][] {
  const recorded = recordedNames(db)
  for (const [index, name] of recorded.entries()) {
    const here = migrations[index]
    if (here?.name === name) continue
    const instead = here === undefined ? 'no such migration is declared any more' : `'${here.name}' is declared in its place`
    throw failure(file, `'${name}' has run there, and ${instead}; migrations that have run are never taken away or reordered`)
  }
  return migrations.map((migration, index): [number, KindMigration] => [index + 1, migration]).slice(recorded.length)
}

function recordedNames(db: Database): string[] {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'reeve_kind_migrations'").get()
  if (table === undefined) return []
  return db.prepare<[], string>('SELECT name FROM reeve_kind_migrations ORDER BY version').pluck().all()
}

function run(db: Database, file: string, { name, up }: KindMigration): void {
  let made: unknown
  try {
    if (typeof up === 'string') db.exec(up)
    else made = up(db)
  } catch (cause) {
    throw failure(file, `'${name}': ${cause instanceof Error ? cause.message : String(cause)}`, cause)
  }
  if (!db.inTransaction)
    throw failure(file, `'${name}' ended the transaction that it runs in; take BEGIN, COMMIT and ROLLBACK out`)
  if (made instanceof Promise) {
    made.catch(() => undefined)
    throw failure(file, `'${name}' is asynchronous; a transaction cannot wait for it`)
  }
}

function failure(file: string, why: string, cause?: unknown): ReeveError {
  return new ReeveError('REEVE_MIGRATION_FAILED', `The migrations of ${file} failed: ${why}.`, { cause })
}
