/** What is kept for whoever looks in: the log lines of jobs, and the stream of events. */
import type { Migration } from './migration.ts'

/** Creates `reeve_logs`, `reeve_events` and `reeve_event_log`. */
export const lookingInMigration: Migration = {
  version: 8,
  name: 'looking-in',
  tables: ['reeve_logs', 'reeve_events', 'reeve_event_log'],
  sql: `
    -- Jobs that stand aside, and the ends that are not the common one: what waits, runs and completes is never in it.
    CREATE INDEX reeve_jobs_listed ON reeve_jobs (state)
      WHERE state = 'suspended' OR state = 'parked' OR state = 'cancelled' OR state = 'discarded';
    CREATE INDEX reeve_jobs_group ON reeve_jobs (grp) WHERE grp IS NOT NULL;

    CREATE TABLE reeve_logs (
      job     INTEGER NOT NULL REFERENCES reeve_jobs (seq) ON DELETE CASCADE,
      -- Of the attempt that wrote it: it grows with each claim, so lines are in order by it.
      token   INTEGER NOT NULL,
      -- From 1 within the attempt; a gap tells of lines that were dropped.
      line    INTEGER NOT NULL,
      attempt INTEGER NOT NULL,
      at      INTEGER NOT NULL,
      level   INTEGER NOT NULL,
      message TEXT    NOT NULL,
      fields  TEXT,
      PRIMARY KEY (job, token, line)
    ) STRICT, WITHOUT ROWID;

    -- Written by triggers (event-triggers.ts), while reeve_event_log has its row. An event outlives its job.
    CREATE TABLE reeve_events (
      seq     INTEGER PRIMARY KEY AUTOINCREMENT,
      at      INTEGER NOT NULL,
      type    TEXT    NOT NULL,
      job     TEXT    NOT NULL,
      kind    TEXT    NOT NULL,
      queue   TEXT    NOT NULL,
      attempt INTEGER NOT NULL,
      token   INTEGER NOT NULL,
      run_at  INTEGER,
      error   TEXT
    ) STRICT;
    CREATE TABLE reeve_event_log (
      id             INTEGER PRIMARY KEY CHECK (id = 1),
      max_count      INTEGER NOT NULL,
      -- NULL for any age.
      max_age_ms     INTEGER,
      -- Whoever asks for what comes behind an earlier event has missed some.
      pruned_through INTEGER NOT NULL
    ) STRICT;
  `,
}
