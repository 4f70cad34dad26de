/** The peer dependency better-sqlite3, loaded with an error that says what to do, and the oldest SQLite that is safe. */
import { createRequire } from 'node:module'
import type Database from 'better-sqlite3'
import { ReeveError } from '../../errors.ts'

/** The class `Database` of better-sqlite3. */
export type DatabaseClass = typeof Database

/** Before this version, two connections that checkpoint at the same instant could lose commits (SQLite 3.51.3, WAL reset). */
export const sqliteVersionMin = '3.51.3'

let loaded: DatabaseClass | undefined

/**
 * Loads better-sqlite3 once a thread and makes sure of its SQLite.
 *
 * @throws ReeveError `REEVE_SQLITE_MISSING` or `REEVE_SQLITE_TOO_OLD`.
 */
export function loadSqlite(): DatabaseClass {
  if (loaded !== undefined) return loaded
  const sqlite = requireSqlite()
  const db = new sqlite(':memory:')
  try {
    requireSqliteVersion(db.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? 'unknown')
  } finally {
    db.close()
  }
  loaded = sqlite
  return sqlite
}

function requireSqlite(): DatabaseClass {
  try {
    const sqlite = createRequire(import.meta.url)('better-sqlite3') as DatabaseClass
    // The native part is loaded by the first connection, and that is what a wrong platform or a missing build fails at.
    new sqlite(':memory:').close()
    return sqlite
  } catch (cause) {
    throw new ReeveError(
      'REEVE_SQLITE_MISSING',
      `better-sqlite3 could not be loaded: ${(cause as Error).message}. Install it beside reeve: npm install better-sqlite3@13`,
      { cause },
    )
  }
}

/**
 * Accepts a version of SQLite, such as `'3.53.0'`.
 *
 * @throws ReeveError `REEVE_SQLITE_TOO_OLD` below {@link sqliteVersionMin}, and for what is no version.
 */
export function requireSqliteVersion(version: string): void {
  if (isAtLeast(version, sqliteVersionMin)) return
  throw new ReeveError(
    'REEVE_SQLITE_TOO_OLD',
    `better-sqlite3 brings SQLite ${version} and Reeve needs ${sqliteVersionMin} or newer: older ones can lose commits. Update better-sqlite3.`,
  )
}

/** Whether one version of dot-separated numbers is not before another. What is no number is before every number. */
export function isAtLeast(version: string, least: string): boolean {
  const [have, want] = [version, least].map((text) => text.split('.').map(Number)) as [number[], number[]]
  for (const [index, wanted] of want.entries()) {
    const part = have[index] ?? 0
    if (part !== wanted) return part > wanted
  }
  return true
}
