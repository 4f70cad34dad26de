/**
 * Uniqueness. A unique index holds it, not a look before the insert. A row holds its key while `unique_holds` is 1, so the key
 * itself never changes and is free the moment its scope is over.
 */
import type { Migration } from './migration.ts'

/** Adds unique keys and follow-ups to `reeve_jobs`. */
export const uniquenessMigration: Migration = {
  version: 5,
  name: 'uniqueness',
  tables: [],
  sql: `
    -- Whether something else in the database waits for the end of this job: see ended.ts. Most jobs have nothing.
    ALTER TABLE reeve_jobs ADD COLUMN hooks INTEGER NOT NULL DEFAULT 0 CHECK (hooks = 0 OR hooks = 1);
    -- A JSON list: 'kind' or 'queue', its name, the key.
    ALTER TABLE reeve_jobs ADD COLUMN unique_key TEXT;
    ALTER TABLE reeve_jobs ADD COLUMN unique_holds INTEGER NOT NULL DEFAULT 0
      CHECK (unique_holds = 0 OR (unique_holds = 1 AND unique_key IS NOT NULL));
    -- What holds the key: 'live' until it is over, 'completed' also afterwards where it completed, 'window' until unique_until.
    ALTER TABLE reeve_jobs ADD COLUMN unique_while TEXT;
    ALTER TABLE reeve_jobs ADD COLUMN unique_until INTEGER;
    -- Of a follow-up: the key that it takes over when the job that runs now is over.
    ALTER TABLE reeve_jobs ADD COLUMN follow_key TEXT;
    -- The enqueue that last replaced its input; a repeated one is known by it.
    ALTER TABLE reeve_jobs ADD COLUMN replaced_by TEXT;
    CREATE UNIQUE INDEX reeve_jobs_unique ON reeve_jobs (unique_key) WHERE unique_holds = 1;
    CREATE UNIQUE INDEX reeve_jobs_follow ON reeve_jobs (follow_key) WHERE follow_key IS NOT NULL;
  `,
}
