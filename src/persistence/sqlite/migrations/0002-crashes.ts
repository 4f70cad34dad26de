/**
 * Which job killed the process? A job that was held at a death is a suspect, and its story of deaths is kept. The index of
 * ready jobs leaves suspects out, so that a claim which may not take one crosses none; theirs is empty in good times.
 */
import type { Migration } from './migration.ts'

/** Adds suspects and crash logs to `reeve_jobs`. */
export const crashesMigration: Migration = {
  version: 2,
  name: 'crashes',
  tables: [],
  sql: `
    ALTER TABLE reeve_jobs ADD COLUMN suspect INTEGER NOT NULL DEFAULT 0
      CHECK (suspect = 0 OR (suspect = 1 AND (state = 'ready' OR state = 'running')));
    -- How many of its crashes it was held alone at.
    ALTER TABLE reeve_jobs ADD COLUMN crashes_alone INTEGER NOT NULL DEFAULT 0 CHECK (crashes_alone BETWEEN 0 AND crashes);
    -- JSON list of the latest crashes, oldest first: at, owner, alone.
    ALTER TABLE reeve_jobs ADD COLUMN crash_log TEXT;

    DROP INDEX reeve_jobs_ready;
    CREATE INDEX reeve_jobs_ready ON reeve_jobs (priority DESC, run_at) WHERE state = 'ready' AND suspect = 0;
    CREATE INDEX reeve_jobs_suspects ON reeve_jobs (priority DESC, run_at) WHERE state = 'ready' AND suspect = 1;
  `,
}
