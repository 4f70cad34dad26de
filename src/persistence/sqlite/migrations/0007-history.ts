/**
 * The history of attempts, and what retention needs. An attempt that ended its job is told by the job's own row, so that
 * the common life of a job (one attempt, completed) writes no row here.
 */
import type { Migration } from './migration.ts'

/** Creates `reeve_attempts` and the index of jobs that are over. */
export const historyMigration: Migration = {
  version: 7,
  name: 'history',
  tables: ['reeve_attempts'],
  sql: `
    -- Of the present or last attempt: when its handler started (wall clock), and on which thread.
    ALTER TABLE reeve_jobs ADD COLUMN started_at INTEGER;
    ALTER TABLE reeve_jobs ADD COLUMN thread_id INTEGER;

    CREATE TABLE reeve_attempts (
      job        INTEGER NOT NULL REFERENCES reeve_jobs (seq) ON DELETE CASCADE,
      token      INTEGER NOT NULL,
      attempt    INTEGER NOT NULL,
      outcome    TEXT    NOT NULL,
      claimed_at INTEGER,
      started_at INTEGER,
      ended_at   INTEGER NOT NULL,
      thread_id  INTEGER,
      owner      TEXT,
      error      TEXT,
      PRIMARY KEY (job, token, outcome)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX reeve_jobs_over ON reeve_jobs (state, settled_at) WHERE settled_at IS NOT NULL;
  `,
}
