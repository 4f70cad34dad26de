/**
 * Schedules. The row is the truth: its cursor is the last instant that was decided on, and moves in the transaction that inserts
 * the job. Triggers do what follows from the end of a scheduled job, whichever verb ended it: they count failed
 * ticks, and let the next one that waits its turn go.
 */
import type { Migration } from './migration.ts'

/** Lets the next tick of the job's schedule that waits its turn go, where no other job of it is left. */
const giveTurn = (job: 'NEW' | 'OLD') => `UPDATE reeve_jobs SET state = 'ready', in_turn = 0
      WHERE seq = (SELECT min(seq) FROM reeve_jobs WHERE schedule = ${job}.schedule AND settled_at IS NULL AND in_turn = 1)
        AND grp IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM reeve_jobs WHERE schedule = ${job}.schedule AND settled_at IS NULL AND in_turn = 0
        );`

/** Adds ticks to `reeve_jobs`; creates `reeve_schedules` and `reeve_schedule_skips`. */
export const schedulesMigration: Migration = {
  version: 10,
  name: 'schedules',
  tables: ['reeve_schedules', 'reeve_schedule_skips'],
  sql: `
    CREATE TABLE reeve_schedules (
      name       TEXT    PRIMARY KEY,
      kind       TEXT    NOT NULL,
      -- JSON: when it fires, and how.
      spec       TEXT    NOT NULL,
      input      ANY,
      queue      TEXT    NOT NULL,
      priority   INTEGER NOT NULL,
      -- Who declared it: the options of a kind ('code'), or a call ('api').
      source     TEXT    NOT NULL CHECK (source = 'code' OR source = 'api'),
      paused     INTEGER NOT NULL DEFAULT 0 CHECK (paused = 0 OR paused = 1),
      -- The last instant that was decided on.
      cursor     INTEGER NOT NULL,
      -- When to look again; NULL where it fires no more.
      next_at    INTEGER,
      -- Grows with each change, so that a decision that was made before it is known as stale.
      revision   INTEGER NOT NULL DEFAULT 1,
      -- The decision that moved the cursor last; a repeated one is known by it.
      decided_by TEXT,
      -- Failed ticks in a row; how many are skipped after a failure (0: the breaker is closed), and how many of them are left.
      failures   INTEGER NOT NULL DEFAULT 0,
      skip_width INTEGER NOT NULL DEFAULT 0,
      skip_left  INTEGER NOT NULL DEFAULT 0 CHECK (skip_left BETWEEN 0 AND skip_width),
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reeve_schedules_due ON reeve_schedules (next_at) WHERE next_at IS NOT NULL AND paused = 0;

    CREATE TABLE reeve_schedule_skips (
      schedule TEXT    NOT NULL REFERENCES reeve_schedules (name) ON DELETE CASCADE,
      from_at  INTEGER NOT NULL,
      to_at    INTEGER NOT NULL CHECK (to_at >= from_at),
      -- NULL where they are too many to count.
      ticks    INTEGER CHECK (ticks >= 1),
      reason   TEXT    NOT NULL,
      PRIMARY KEY (schedule, from_at)
    ) STRICT, WITHOUT ROWID;

    ALTER TABLE reeve_jobs ADD COLUMN schedule TEXT;
    -- The instant that it was made for; NULL where it was triggered by hand.
    ALTER TABLE reeve_jobs ADD COLUMN scheduled_at INTEGER;
    -- The instant after that one, when it was made.
    ALTER TABLE reeve_jobs ADD COLUMN next_tick_at INTEGER;
    ALTER TABLE reeve_jobs ADD COLUMN catch_up INTEGER NOT NULL DEFAULT 0 CHECK (catch_up = 0 OR catch_up = 1);
    -- It is suspended until the earlier jobs of its schedule are over.
    ALTER TABLE reeve_jobs ADD COLUMN in_turn INTEGER NOT NULL DEFAULT 0
      CHECK (in_turn = 0 OR (in_turn = 1 AND schedule IS NOT NULL));
    CREATE UNIQUE INDEX reeve_jobs_tick ON reeve_jobs (schedule, scheduled_at) WHERE schedule IS NOT NULL;
    CREATE INDEX reeve_jobs_of_schedule ON reeve_jobs (schedule) WHERE schedule IS NOT NULL AND settled_at IS NULL;

    -- A trigger costs each statement that it belongs to, also where its WHEN is false. So it belongs to those that name in_turn: each one
    -- that ends jobs of schedules does (in_turn = in_turn), and a test sees to it.
    CREATE TRIGGER reeve_schedules_over AFTER UPDATE OF in_turn ON reeve_jobs
    WHEN NEW.schedule IS NOT NULL AND NEW.settled_at IS NOT NULL AND OLD.settled_at IS NULL
    BEGIN
      UPDATE reeve_schedules SET failures = 0, skip_width = 0, skip_left = 0
      WHERE name = NEW.schedule AND NEW.state = 'completed' AND failures > 0;

      UPDATE reeve_schedules SET failures = failures + 1,
        (skip_width, skip_left) = (SELECT width, width FROM (SELECT CASE
          WHEN spec ->> '$.breaker.failures' IS NULL OR failures + 1 < spec ->> '$.breaker.failures' THEN 0
          WHEN skip_width = 0 THEN 1
          ELSE min(skip_width * 2, spec ->> '$.breaker.skipMax') END AS width))
      WHERE name = NEW.schedule AND NEW.state = 'discarded';

      -- It waits for no turn any more, also where somebody retries it.
      UPDATE reeve_jobs SET in_turn = 0 WHERE seq = NEW.seq AND in_turn = 1;

      ${giveTurn('NEW')}
    END;

    -- Whoever deletes a job that waits takes it out of the way of the others.
    CREATE TRIGGER reeve_schedules_deleted AFTER DELETE ON reeve_jobs WHEN OLD.schedule IS NOT NULL AND OLD.settled_at IS NULL
    BEGIN
      ${giveTurn('OLD')}
    END;
  `,
}
