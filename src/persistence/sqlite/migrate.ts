/**
 * Brings a database to the schema that this version knows. Each migration runs in a transaction of its own that first
 * looks again at what is recorded, so any number of processes may open a new file at the same moment.
 */
import type { Database } from 'better-sqlite3'
import { ReeveError } from '../../errors.ts'
import { jobsMigration } from './migrations/0001-jobs.ts'
import { crashesMigration } from './migrations/0002-crashes.ts'
import { childrenMigration } from './migrations/0003-children.ts'
import { groupsMigration } from './migrations/0004-groups.ts'
import { uniquenessMigration } from './migrations/0005-uniqueness.ts'
import { flowsMigration } from './migrations/0006-flows.ts'
import { historyMigration } from './migrations/0007-history.ts'
import { lookingInMigration } from './migrations/0008-looking-in.ts'
import { keyValuesMigration } from './migrations/0009-key-values.ts'
import { schedulesMigration } from './migrations/0010-schedules.ts'
import { stepsMigration } from './migrations/0011-steps.ts'
import { locksMigration } from './migrations/0012-locks.ts'
import { timingsMigration } from './migrations/0013-timings.ts'
import { breakersMigration } from './migrations/0014-breakers.ts'
import { hotPathMigration } from './migrations/0015-hot-path.ts'
import type { Migration } from './migrations/migration.ts'
import { runTransaction } from './transaction.ts'

/** All migrations in order. */
export const migrations: readonly Migration[] = [
  jobsMigration,
  crashesMigration,
  childrenMigration,
  groupsMigration,
  uniquenessMigration,
  flowsMigration,
  historyMigration,
  lookingInMigration,
  keyValuesMigration,
  schedulesMigration,
  stepsMigration,
  locksMigration,
  timingsMigration,
  breakersMigration,
  hotPathMigration,
]

/** The version of the schema that this Reeve writes. */
export const schemaVersion: number = migrations.length

/**
 * Runs what is missing and returns how many migrations that were.
 *
 * @throws ReeveError `REEVE_SCHEMA_NEWER` or `REEVE_SCHEMA_FOREIGN` with nothing changed, or what {@link runTransaction} throws.
 */
export function migrate(db: Database, file: string): number {
  let done = 0
  for (const migration of migrations.slice(checkSchema(db, file))) {
    const ran = runTransaction(db, file, () => {
      // Another process may have come first between the check and the lock.
      if (checkSchema(db, file) >= migration.version) return false
      db.exec('CREATE TABLE IF NOT EXISTS reeve_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT')
      db.exec(migration.sql)
      db.prepare('INSERT INTO reeve_migrations (version, name) VALUES (?, ?)').run(migration.version, migration.name)
      return true
    })
    if (ran) done++
  }
  return done
}

/**
 * The recorded version of the schema, 0 for a database without our tables. Reads only.
 *
 * @throws ReeveError `REEVE_SCHEMA_NEWER` past {@link schemaVersion}, `REEVE_SCHEMA_FOREIGN` where a table has our prefix and is not ours.
 */
export function checkSchema(db: Database, file: string): number {
  // In one snapshot: another process may be in the middle of its migrations.
  return db.transaction(() => readVersion(db, file))()
}

function readVersion(db: Database, file: string): number {
  const present = db
    .prepare<[], string>(
      String.raw`SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name LIKE 'reeve\_%' ESCAPE '\'`,
    )
    .pluck()
    .all()
  const recorded = present.includes('reeve_migrations') ? recordedMigrations(db, file) : []
  const version = recorded.length
  if (version > schemaVersion) {
    throw new ReeveError(
      'REEVE_SCHEMA_NEWER',
      `${file} has version ${version} of Reeve's schema and this Reeve knows ${schemaVersion}: a newer Reeve wrote it. Update Reeve, or open another file.`,
    )
  }
  const known = migrations.slice(0, version)
  const ours = new Set(['reeve_migrations', ...known.flatMap((migration) => migration.tables)])
  const foreign = present.find((table) => !ours.has(table))
  const missing = [...ours].find((table) => version > 0 && !present.includes(table))
  const renamed = known.find(
    (migration, index) => recorded[index]?.name !== migration.name || recorded[index]?.version !== migration.version,
  )
  if (foreign !== undefined) throw schemaForeign(file, `the table '${foreign}'`)
  if (renamed !== undefined) throw schemaForeign(file, `a record in 'reeve_migrations' that is not '${renamed.name}'`)
  if (missing !== undefined)
    throw schemaForeign(file, `no table '${missing}', though 'reeve_migrations' says that it was made, so a schema`)
  return version
}

interface RecordedMigration {
  readonly version: number
  readonly name: string
}

function recordedMigrations(db: Database, file: string): RecordedMigration[] {
  const columns = db.prepare<[], string>("SELECT name FROM pragma_table_info('reeve_migrations')").pluck().all()
  if (columns.join() !== 'version,name') throw schemaForeign(file, "a table 'reeve_migrations' with other columns")
  return db.prepare<[], RecordedMigration>('SELECT version, name FROM reeve_migrations ORDER BY version').all()
}

function schemaForeign(file: string, what: string): ReeveError {
  return new ReeveError(
    'REEVE_SCHEMA_FOREIGN',
    `${file} has ${what} that Reeve did not make. Names that begin with 'reeve_' are Reeve's: rename what is there, or open another file.`,
  )
}
