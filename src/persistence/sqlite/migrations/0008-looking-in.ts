/** What is kept for whoever looks in: the log lines of jobs, and the stream of events. */
import type { Migration } from './migration.ts'

/** Creates `reeve_logs` and `reeve_events`. */
export const lookingInMigration: Migration = {
  version: 8,
  name: 'looking-in',
  tables: ['reeve_logs', 'reeve_events'],
  sql: `
    CREATE TABLE reeve_logs (
      seq     INTEGER PRIMARY KEY AUTOINCREMENT,
      job     INTEGER NOT NULL REFERENCES reeve_jobs (seq) ON DELETE CASCADE,
      attempt INTEGER NOT NULL,
      at      INTEGER NOT NULL,
      level   INTEGER NOT NULL,
      message TEXT    NOT NULL,
      fields  TEXT
    ) STRICT;
    CREATE INDEX reeve_logs_job ON reeve_logs (job, seq);

    CREATE TABLE reeve_events (
      seq  INTEGER PRIMARY KEY AUTOINCREMENT,
      at   INTEGER NOT NULL,
      type TEXT    NOT NULL,
      job  TEXT,
      kind TEXT,
      data TEXT
    ) STRICT;
  `,
}
