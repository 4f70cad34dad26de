/**
 * The history of attempts, what is done by hand, and what retention needs. A completed attempt is told by the job's own row,
 * so that the common life of a job (one attempt, completed) writes no row here.
 */
import type { Migration } from './migration.ts'

/** Creates `reeve_attempts`, `reeve_operations`, and the indexes of jobs that are over. */
export const historyMigration: Migration = {
  version: 7,
  name: 'history',
  tables: ['reeve_attempts', 'reeve_operations'],
  sql: `
    -- Of the attempt that settled last: when its handler started (wall clock), and on which thread.
    ALTER TABLE reeve_jobs ADD COLUMN started_at INTEGER;
    ALTER TABLE reeve_jobs ADD COLUMN thread_id INTEGER;
    -- It was a suspect when it was parked, or came to its end without another attempt: it is one again when it comes back.
    ALTER TABLE reeve_jobs ADD COLUMN was_suspect INTEGER NOT NULL DEFAULT 0
      CHECK (was_suspect = 0 OR (was_suspect = 1 AND suspect = 0));

    CREATE TABLE reeve_attempts (
      job        INTEGER NOT NULL REFERENCES reeve_jobs (seq) ON DELETE CASCADE,
      -- Counts the entries of a job, from 1; the oldest are cut off.
      number     INTEGER NOT NULL,
      token      INTEGER NOT NULL,
      attempt    INTEGER NOT NULL,
      outcome    TEXT    NOT NULL,
      claimed_at INTEGER,
      started_at INTEGER,
      ended_at   INTEGER NOT NULL,
      thread_id  INTEGER,
      owner      TEXT,
      error      TEXT,
      PRIMARY KEY (job, number)
    ) STRICT, WITHOUT ROWID;

    -- Of what changes many jobs at once, page by page: the answer of its latest page, in case that is repeated.
    CREATE TABLE reeve_operations (
      id     TEXT    PRIMARY KEY,
      page   INTEGER NOT NULL,
      at     INTEGER NOT NULL,
      answer TEXT    NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX reeve_jobs_over ON reeve_jobs (state, settled_at) WHERE settled_at IS NOT NULL;
    -- What is mostly steered by hand, in the order of seq.
    CREATE INDEX reeve_jobs_dead ON reeve_jobs (state) WHERE state = 'discarded';
  `,
}
