/**
 * Groups, limits, rates and pauses. A *lane* is what waits of one kind in one group at one priority: the unit that a claim
 * takes in turn, opens and closes, so that a blocked backlog is skipped by one row, not row by row. Triggers keep the head of
 * each lane, whichever verb moved a job. Jobs without a group have no lane and cost none of this.
 */
import type { Migration } from './migration.ts'

/** Adds groups to `reeve_jobs`; creates `reeve_lanes`, `reeve_limits`, `reeve_rates`, `reeve_rate_hits` and `reeve_pauses`. */
export const groupsMigration: Migration = {
  version: 4,
  name: 'groups',
  tables: ['reeve_lanes', 'reeve_limits', 'reeve_rates', 'reeve_rate_hits', 'reeve_pauses'],
  sql: `
    CREATE TABLE reeve_lanes (
      id            INTEGER PRIMARY KEY,
      queue         TEXT    NOT NULL,
      kind          TEXT    NOT NULL,
      grp           TEXT    NOT NULL,
      priority      INTEGER NOT NULL,
      -- The due time of its first ready job; NULL while it has none.
      head          INTEGER,
      -- When its group was last served, finer than a millisecond: the least recently served comes first.
      served        REAL    NOT NULL DEFAULT 0,
      -- Nothing is taken before: a pause, a release, a rate.
      blocked_until REAL    NOT NULL DEFAULT 0,
      -- Its group is full; opened when a job of the group leaves its thread.
      closed        INTEGER NOT NULL DEFAULT 0 CHECK (closed = 0 OR closed = 1),
      due           REAL    GENERATED ALWAYS AS (iif(head IS NULL OR closed = 1, NULL, max(head, served, blocked_until))) VIRTUAL,
      UNIQUE (queue, grp, kind, priority)
    ) STRICT;
    CREATE INDEX reeve_lanes_due ON reeve_lanes (queue, kind, priority DESC, due, head) WHERE due IS NOT NULL;

    -- "group" is a word of SQL.
    ALTER TABLE reeve_jobs ADD COLUMN grp TEXT;
    ALTER TABLE reeve_jobs ADD COLUMN lane INTEGER REFERENCES reeve_lanes (id);

    DROP INDEX reeve_jobs_ready;
    CREATE INDEX reeve_jobs_ready ON reeve_jobs (priority DESC, run_at) WHERE state = 'ready' AND suspect = 0 AND lane IS NULL;
    CREATE INDEX reeve_jobs_ready_by_kind ON reeve_jobs (queue, kind, priority DESC, run_at)
      WHERE state = 'ready' AND suspect = 0 AND lane IS NULL;
    CREATE INDEX reeve_jobs_ready_in_lane ON reeve_jobs (lane, run_at) WHERE state = 'ready' AND suspect = 0 AND lane IS NOT NULL;

    CREATE TABLE reeve_limits (
      scope             TEXT NOT NULL CHECK (scope = 'kind' OR scope = 'queue' OR scope = 'resource'),
      name              TEXT NOT NULL,
      -- How many may run at once over all processes; NULL for any number.
      concurrency       INTEGER CHECK (concurrency >= 1),
      -- How many of one group may; NULL for any number.
      group_concurrency INTEGER CHECK (group_concurrency >= 1),
      -- JSON: { slots, windowMs } of the whole, and of each group; NULL for none.
      rate              TEXT,
      group_rate        TEXT,
      -- Of a kind: the resource that each of its running jobs takes one of.
      resource          TEXT,
      -- When it was last changed: jobs that were claimed before it are not held against it.
      changed_at        INTEGER NOT NULL,
      PRIMARY KEY (scope, name)
    ) STRICT, WITHOUT ROWID;

    -- A ring of the times at which the latest jobs were claimed: the next one waits until the oldest is a window old.
    CREATE TABLE reeve_rates (
      id    INTEGER PRIMARY KEY,
      scope TEXT    NOT NULL,
      name  TEXT    NOT NULL,
      grp   TEXT    NOT NULL DEFAULT '',
      slots INTEGER NOT NULL,
      hits  INTEGER NOT NULL DEFAULT 0,
      -- Asked for by a handler: nothing is taken before.
      backed_off_until INTEGER NOT NULL DEFAULT 0,
      UNIQUE (scope, name, grp)
    ) STRICT;
    CREATE TABLE reeve_rate_hits (
      rate INTEGER NOT NULL REFERENCES reeve_rates (id) ON DELETE CASCADE,
      slot INTEGER NOT NULL,
      at   INTEGER NOT NULL,
      PRIMARY KEY (rate, slot)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE reeve_pauses (
      scope  TEXT NOT NULL CHECK (scope = 'kind' OR scope = 'queue' OR scope = 'group'),
      -- Of a group: its queue; else empty.
      queue  TEXT NOT NULL DEFAULT '',
      name   TEXT NOT NULL,
      -- NULL: until it is resumed.
      until  INTEGER,
      reason TEXT,
      PRIMARY KEY (scope, queue, name)
    ) STRICT, WITHOUT ROWID;
  `,
}
