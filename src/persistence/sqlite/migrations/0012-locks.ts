/**
 * Named locks. A row counts only while its holder does (see `lock.ts`), so nothing has to free it. Its id is the fencing
 * token: AUTOINCREMENT gives none twice.
 */
import type { Migration } from './migration.ts'

/** Creates `reeve_locks`. */
export const locksMigration: Migration = {
  version: 12,
  name: 'locks',
  tables: ['reeve_locks'],
  sql: `
    CREATE TABLE reeve_locks (
      token      INTEGER PRIMARY KEY AUTOINCREMENT,
      name       TEXT    NOT NULL UNIQUE,
      -- Which taking it is: a repeated take finds its own, and a release frees no later one.
      taking     TEXT    NOT NULL,
      owner      TEXT    NOT NULL,
      -- Of a handler: its job and lease. NULL for the app.
      job        INTEGER REFERENCES reeve_jobs (seq) ON DELETE CASCADE,
      job_token  INTEGER,
      taken_at   INTEGER NOT NULL,
      -- When another may take it all the same; NULL for never.
      expires_at INTEGER
    ) STRICT;
    CREATE INDEX reeve_locks_job ON reeve_locks (job) WHERE job IS NOT NULL;
  `,
}
