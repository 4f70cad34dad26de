/**
 * Steps, and what ends their waits. A step that has ended is never changed again; one that waits is the subscription itself:
 * its timer, or its event.
 */
import type { Migration } from './migration.ts'

/** Adds the wake-up time to `reeve_jobs`; creates `reeve_steps` and `reeve_emitted`. */
export const stepsMigration: Migration = {
  version: 11,
  name: 'steps',
  tables: ['reeve_steps', 'reeve_emitted'],
  sql: `
    -- The earliest timer of its waits; only counts while it is suspended.
    ALTER TABLE reeve_jobs ADD COLUMN wake_at INTEGER;
    CREATE INDEX reeve_jobs_wake ON reeve_jobs (wake_at) WHERE state = 'suspended' AND wake_at IS NOT NULL;

    CREATE TABLE reeve_steps (
      seq        INTEGER PRIMARY KEY,
      job        INTEGER NOT NULL REFERENCES reeve_jobs (seq) ON DELETE CASCADE,
      name       TEXT    NOT NULL,
      type       TEXT    NOT NULL CHECK (type = 'run' OR type = 'sleep' OR type = 'event'),
      state      TEXT    NOT NULL CHECK (state = 'waiting' OR state = 'ended' OR state = 'failed'),
      about      TEXT    NOT NULL DEFAULT '',
      -- Under which attempt and token it was first asked for.
      attempt    INTEGER NOT NULL,
      token      INTEGER NOT NULL,
      -- Of a failed one: the handler has gone on from its error.
      stands     INTEGER NOT NULL DEFAULT 1 CHECK (stands = 0 OR stands = 1),
      -- Of a sleep: its end; of an event: its timeout.
      wake_at    INTEGER,
      event      TEXT,
      match_key  TEXT,
      -- The event that ended it: no other wait of the job takes that one.
      taken      INTEGER,
      started_at INTEGER NOT NULL,
      ended_at   INTEGER,
      error      TEXT,
      value      ANY,
      CONSTRAINT ended_iff_over CHECK ((ended_at IS NULL) = (state = 'waiting')),
      UNIQUE (job, name)
    ) STRICT;
    CREATE INDEX reeve_steps_waiting ON reeve_steps (job, wake_at) WHERE state = 'waiting';
    CREATE INDEX reeve_steps_event ON reeve_steps (event, match_key) WHERE state = 'waiting' AND event IS NOT NULL;
    CREATE UNIQUE INDEX reeve_steps_taken ON reeve_steps (job, taken) WHERE taken IS NOT NULL;

    CREATE TABLE reeve_emitted (
      seq       INTEGER PRIMARY KEY AUTOINCREMENT,
      id        TEXT    NOT NULL UNIQUE,
      event     TEXT    NOT NULL,
      key       TEXT,
      -- Of a signal: the one job that it is for.
      job       INTEGER REFERENCES reeve_jobs (seq) ON DELETE CASCADE,
      -- The last job that had been enqueued by then: an event is for those that were there, whatever the clocks said.
      after_job INTEGER NOT NULL,
      at        INTEGER NOT NULL,
      payload   ANY
    ) STRICT;
    CREATE INDEX reeve_emitted_event ON reeve_emitted (event, after_job, seq) WHERE job IS NULL;
    CREATE INDEX reeve_emitted_key ON reeve_emitted (event, key, after_job, seq) WHERE job IS NULL AND key IS NOT NULL;
    CREATE INDEX reeve_emitted_signal ON reeve_emitted (job, event, seq) WHERE job IS NOT NULL;
    CREATE INDEX reeve_emitted_kept ON reeve_emitted (seq) WHERE job IS NULL;
  `,
}
