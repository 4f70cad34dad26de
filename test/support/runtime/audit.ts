/**
 * A second account of what happens to jobs: triggers that a test puts on the jobs table write every change of a row
 * into a table of the test's own, in the very transaction of the change.
 */
import type { Database } from 'better-sqlite3'
import { loadSqlite } from '../../../src/persistence/sqlite/load-sqlite.ts'

/** One change of a job's row. */
export interface Change {
  readonly id: string
  readonly before: string
  readonly after: string
  readonly token: number
  readonly attempt: number
  readonly crashes: number
  readonly owner: string | null
  readonly leaseExpiresAt: number | null
}

/** Creates the table and its triggers. The database must have been opened by a runtime before. */
export function startAudit(file: string): void {
  withDatabase(file, (db) =>
    db.exec(`
      CREATE TABLE IF NOT EXISTS audit (n INTEGER PRIMARY KEY, id TEXT, before TEXT, after TEXT, token INTEGER, attempt INTEGER,
        crashes INTEGER, owner TEXT, lease_expires_at INTEGER) STRICT;
      CREATE TRIGGER IF NOT EXISTS audit_insert AFTER INSERT ON reeve_jobs BEGIN
        INSERT INTO audit (id, before, after, token, attempt, crashes, owner, lease_expires_at)
        VALUES (new.id, '', new.state, new.token, new.attempt, new.crashes, new.owner, new.lease_expires_at);
      END;
      CREATE TRIGGER IF NOT EXISTS audit_update AFTER UPDATE ON reeve_jobs BEGIN
        INSERT INTO audit (id, before, after, token, attempt, crashes, owner, lease_expires_at)
        VALUES (new.id, old.state, new.state, new.token, new.attempt, new.crashes, new.owner, new.lease_expires_at);
      END;`),
  )
}

/** All changes so far, oldest first. */
export function readAudit(file: string): readonly Change[] {
  return withDatabase(file, (db) =>
    db
      .prepare<[], Change>(
        'SELECT id, before, after, token, attempt, crashes, owner, lease_expires_at AS leaseExpiresAt FROM audit ORDER BY n',
      )
      .all(),
  )
}

/** Opens the file as another program would, for a moment. */
export function withDatabase<T>(file: string, use: (db: Database) => T): T {
  const db = new (loadSqlite())(file, { timeout: 5_000, fileMustExist: true })
  try {
    return use(db)
  } finally {
    db.close()
  }
}

/** The state of a job as any other connection sees it now; undefined where there is none. */
export function stateOf(file: string, id: string): string | undefined {
  return withDatabase(file, (db) => db.prepare<[string], string>('SELECT state FROM reeve_jobs WHERE id = ?').pluck().get(id))
}

/** Keeps every other connection from writing while `work` goes on. */
export async function holdingWriteLock(file: string, work: () => Promise<void>): Promise<void> {
  const db = new (loadSqlite())(file, { timeout: 5_000, fileMustExist: true })
  try {
    db.exec('BEGIN IMMEDIATE')
    await work()
    db.exec('ROLLBACK')
  } finally {
    db.close()
  }
}
