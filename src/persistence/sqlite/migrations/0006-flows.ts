/**
 * Flows: jobs that wait for others, parents and children. A job may only wait for jobs that are there already, so there can
 * be no cycle.
 */
import type { Migration } from './migration.ts'

/** Adds the family of a job to `reeve_jobs`; creates `reeve_dependencies`. */
export const flowsMigration: Migration = {
  version: 6,
  name: 'flows',
  tables: ['reeve_dependencies'],
  sql: `
    ALTER TABLE reeve_jobs ADD COLUMN parent TEXT;
    ALTER TABLE reeve_jobs ADD COLUMN root TEXT;
    ALTER TABLE reeve_jobs ADD COLUMN correlation_id TEXT;
    -- What becomes of it where a job that it waits for fails: 'run', 'discard' or 'cancel'.
    ALTER TABLE reeve_jobs ADD COLUMN after_failed TEXT;
    CREATE INDEX reeve_jobs_parent ON reeve_jobs (parent) WHERE parent IS NOT NULL;
    CREATE INDEX reeve_jobs_correlation ON reeve_jobs (correlation_id) WHERE correlation_id IS NOT NULL;

    CREATE TABLE reeve_dependencies (
      job   INTEGER NOT NULL REFERENCES reeve_jobs (seq) ON DELETE CASCADE,
      needs INTEGER NOT NULL REFERENCES reeve_jobs (seq) ON DELETE CASCADE,
      PRIMARY KEY (job, needs)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reeve_dependencies_needs ON reeve_dependencies (needs);
  `,
}
