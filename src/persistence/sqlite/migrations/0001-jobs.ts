/**
 * The first schema: jobs, and the supervisors that are alive. The CHECKs state what must hold of a row at rest, so that
 * neither a bug of ours nor a hand at a SQLite prompt can break it; they are chains of OR because IN builds a table at
 * every write, which costs a third of the throughput. The payloads stand last: a large one then spills to overflow
 * pages without the columns before it.
 */
import type { Migration } from './migration.ts'

/** Creates `reeve_jobs` with its indexes, `reeve_inputs` and `reeve_supervisors`. */
export const jobsMigration: Migration = {
  version: 1,
  name: 'jobs',
  tables: ['reeve_jobs', 'reeve_inputs', 'reeve_supervisors'],
  sql: `
    CREATE TABLE reeve_jobs (
      seq              INTEGER PRIMARY KEY AUTOINCREMENT,
      id               TEXT    NOT NULL UNIQUE,
      kind             TEXT    NOT NULL,
      queue            TEXT    NOT NULL,
      state            TEXT    NOT NULL
                       CHECK (state = 'ready' OR state = 'running' OR state = 'suspended' OR state = 'parked'
                         OR state = 'completed' OR state = 'cancelled' OR state = 'discarded'),
      priority         INTEGER NOT NULL,
      run_at           INTEGER NOT NULL,
      attempt          INTEGER NOT NULL DEFAULT 0,
      attempts_max     INTEGER CHECK (attempts_max >= 1),
      timeout_ms       REAL,
      backoff          TEXT,
      token            INTEGER NOT NULL DEFAULT 0,
      owner            TEXT,
      claim_number     INTEGER,
      lease_expires_at INTEGER,
      cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
      crashes          INTEGER NOT NULL DEFAULT 0,
      lost_owner       TEXT,
      settled_token    INTEGER,
      settled_run_at   INTEGER,
      created_at       INTEGER NOT NULL,
      claimed_at       INTEGER,
      settled_at       INTEGER,
      progress         REAL,
      progress_note    TEXT,
      error            TEXT,
      input            ANY,
      result           ANY,
      CONSTRAINT running_iff_leased CHECK (
        (state = 'running') = (owner IS NOT NULL)
        AND (owner IS NOT NULL) = (lease_expires_at IS NOT NULL)
        AND (owner IS NOT NULL) = (claim_number IS NOT NULL)
        AND (owner IS NULL OR token >= 1)
      ),
      CONSTRAINT result_only_when_settled CHECK (result IS NULL OR state = 'completed'),
      CONSTRAINT settled_iff_over CHECK (
        (settled_at IS NOT NULL) = (state = 'completed' OR state = 'cancelled' OR state = 'discarded')
      ),
      CONSTRAINT attempts_exact CHECK (attempt >= 0 AND attempt <= token AND attempt <= coalesce(attempts_max, 0))
    ) STRICT;

    -- Every index that the hot path keeps is partial: a job that is over costs none of them.
    CREATE INDEX reeve_jobs_ready ON reeve_jobs (priority DESC, run_at) WHERE state = 'ready';
    CREATE INDEX reeve_jobs_running ON reeve_jobs (owner, claim_number) WHERE state = 'running';

    -- Inputs too large for their row: SQLite writes a changed row as a whole, so each renewal would write the input again.
    CREATE TABLE reeve_inputs (
      job   INTEGER PRIMARY KEY REFERENCES reeve_jobs (seq) ON DELETE CASCADE,
      input ANY NOT NULL
    ) STRICT;

    CREATE TABLE reeve_supervisors (
      owner TEXT PRIMARY KEY,
      pid   INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
}
