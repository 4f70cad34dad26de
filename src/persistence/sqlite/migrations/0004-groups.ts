/**
 * Groups, limits, rates and pauses. A *lane* is what waits of one kind in one group of one queue at one priority: the unit that
 * a claim takes in turn, opens and closes, so that a blocked backlog is skipped by one row, not row by row. A trigger gives each
 * live job of a group its lane and keeps the head of each lane. Jobs without a group cost none of this.
 */
import type { Migration } from './migration.ts'

/** The lane that a job belongs into, by the columns of the row named. */
const laneOf = (job: string) =>
  `(SELECT id FROM reeve_lanes WHERE queue = ${job}.queue AND grp = ${job}.grp AND kind = ${job}.kind AND priority = ${job}.priority)`

/** A lane that is new comes after those that have waited longer, and before those that were served since. */
const since = 'new.created_at'
/** All lanes of a group at one priority have their turns together, so that its jobs stay in order whatever their kinds. */
const servedWith = `coalesce(
  (SELECT served FROM reeve_lanes WHERE queue = new.queue AND grp = new.grp AND priority = new.priority LIMIT 1), ${since})`
const hasLane = 'new.grp IS NOT NULL AND new.settled_at IS NULL'

/** Whether the row is not in the lane that it belongs into. */
const strayed = `(new.lane IS NULL OR NOT (${hasLane}) OR new.grp IS NOT old.grp
  OR new.queue <> old.queue OR new.kind <> old.kind OR new.priority <> old.priority)`

const headOf = (lane: string) =>
  `(SELECT run_at FROM reeve_jobs INDEXED BY reeve_jobs_ready_in_lane
    WHERE lane = ${lane} AND lane IS NOT NULL AND state = 'ready' AND suspect = 0 ORDER BY run_at LIMIT 1)`

/** After a job has left: the head is looked up again, and a lane that nobody is in goes, or each group ever seen would leave one. */
const tidyOldLane = (ifReady: string, ifLeft: string) => `
    UPDATE reeve_lanes SET head = ${headOf('old.lane')} WHERE ${ifReady} AND id = old.lane;
    DELETE FROM reeve_lanes WHERE ${ifLeft} AND id = old.lane AND head IS NULL AND NOT EXISTS
      (SELECT 1 FROM reeve_jobs INDEXED BY reeve_jobs_lane WHERE lane = old.lane AND lane IS NOT NULL);`

/**
 * A trigger costs a statement two microseconds even where its WHEN is false, a third of an enqueue. So it fires on an update of
 * `lane` only: each statement that moves a job says \`lane = lane\` (or \`grp IS NULL\`, which has none), and a test sees to it.
 */
const triggers = `
  CREATE TRIGGER reeve_lanes_at_update AFTER UPDATE OF lane ON reeve_jobs WHEN old.grp IS NOT NULL OR new.grp IS NOT NULL
  BEGIN
    -- While its group is paused, a lane that is new waits like the others.
    INSERT INTO reeve_lanes (queue, kind, grp, priority, served, blocked_until)
      SELECT new.queue, new.kind, new.grp, new.priority, ${servedWith}, coalesce(
        (SELECT coalesce(until, 9e15) FROM reeve_pauses WHERE scope = 'group' AND queue = new.queue AND name = new.grp), 0)
      WHERE ${hasLane} AND ${strayed} AND ${laneOf('new')} IS NULL;
    UPDATE reeve_turns SET latest = ${since} WHERE ${hasLane} AND ${strayed} AND latest < ${since};
    UPDATE reeve_jobs SET lane = iif(${hasLane}, ${laneOf('new')}, NULL)
      WHERE seq = new.seq AND ${strayed} AND (${hasLane} OR lane IS NOT NULL);
    UPDATE reeve_lanes SET head = ${headOf('reeve_lanes.id')} WHERE ${hasLane} AND ${strayed} AND id = ${laneOf('new')};
    ${tidyOldLane("(old.state = 'ready' OR new.state = 'ready')", strayed)}
    -- A group that was full has room again, whatever ended the hold on its thread.
    UPDATE reeve_lanes SET closed = 0
      WHERE old.state = 'running' AND new.state <> 'running' AND queue = old.queue AND grp = old.grp AND closed = 1;
  END;

  CREATE TRIGGER reeve_lanes_at_delete AFTER DELETE ON reeve_jobs WHEN old.lane IS NOT NULL
  BEGIN
    ${tidyOldLane("old.state = 'ready'", 'TRUE')}
    UPDATE reeve_lanes SET closed = 0 WHERE queue = old.queue AND grp = old.grp AND closed = 1;
  END;
`

/** Adds groups to `reeve_jobs`; creates `reeve_lanes`, `reeve_turns`, `reeve_limits`, `reeve_rates`, `reeve_rate_hits` and `reeve_pauses`. */
export const groupsMigration: Migration = {
  version: 4,
  name: 'groups',
  tables: ['reeve_lanes', 'reeve_turns', 'reeve_limits', 'reeve_rates', 'reeve_rate_hits', 'reeve_pauses'],
  sql: `
    CREATE TABLE reeve_lanes (
      id            INTEGER PRIMARY KEY,
      queue         TEXT    NOT NULL,
      kind          TEXT    NOT NULL,
      grp           TEXT    NOT NULL,
      priority      INTEGER NOT NULL,
      -- The due time of its first ready job; NULL while it has none.
      head          INTEGER,
      -- When its group was last served (or came), finer than a millisecond: the least recently served comes first.
      served        REAL    NOT NULL,
      -- Nothing is taken before: a pause, a release, a rate. 9e15 for ever.
      blocked_until REAL    NOT NULL DEFAULT 0,
      -- Its group is full; opened when a job of the group leaves its thread.
      closed        INTEGER NOT NULL DEFAULT 0 CHECK (closed = 0 OR closed = 1),
      due           REAL    GENERATED ALWAYS AS (iif(head IS NULL OR closed = 1, NULL, max(head, served, blocked_until))) VIRTUAL,
      UNIQUE (queue, grp, kind, priority)
    ) STRICT;
    CREATE INDEX reeve_lanes_due ON reeve_lanes (queue, kind, priority DESC, due, head) WHERE due IS NOT NULL;
    CREATE INDEX reeve_lanes_closed ON reeve_lanes (queue) WHERE closed = 1;

    -- One row: the latest time that a turn, a rate or a holdback was written with. It shows a clock that was set back.
    CREATE TABLE reeve_turns (
      id     INTEGER PRIMARY KEY CHECK (id = 1),
      latest REAL    NOT NULL
    ) STRICT;
    INSERT INTO reeve_turns (id, latest) VALUES (1, 0);

    -- "group" is a word of SQL.
    ALTER TABLE reeve_jobs ADD COLUMN grp TEXT;
    -- While it is not over, and has a group.
    ALTER TABLE reeve_jobs ADD COLUMN lane INTEGER;
    -- Its place among the jobs of its claim.
    ALTER TABLE reeve_jobs ADD COLUMN claim_place INTEGER;

    DROP INDEX reeve_jobs_ready;
    CREATE INDEX reeve_jobs_ready ON reeve_jobs (priority DESC, run_at) WHERE state = 'ready' AND suspect = 0 AND grp IS NULL;
    CREATE INDEX reeve_jobs_ready_by_kind ON reeve_jobs (queue, kind, priority DESC, run_at)
      WHERE state = 'ready' AND suspect = 0 AND grp IS NULL;
    CREATE INDEX reeve_jobs_ready_in_lane ON reeve_jobs (lane, run_at) WHERE state = 'ready' AND suspect = 0 AND lane IS NOT NULL;
    -- Whether anybody is in a lane.
    CREATE INDEX reeve_jobs_lane ON reeve_jobs (lane) WHERE lane IS NOT NULL;

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
      -- Of a kind: JSON list of the locks that each of its running jobs holds.
      exclusive         TEXT,
      -- When it was last changed: jobs that were claimed before it are not held against it.
      changed_at        INTEGER NOT NULL,
      PRIMARY KEY (scope, name)
    ) STRICT, WITHOUT ROWID;

    -- A ring of the times at which the latest jobs were claimed: the next one waits until the oldest is a window old.
    CREATE TABLE reeve_rates (
      id       INTEGER PRIMARY KEY,
      scope    TEXT    NOT NULL,
      name     TEXT    NOT NULL,
      -- Of a group: its queue and name; else empty.
      queue    TEXT    NOT NULL DEFAULT '',
      grp      TEXT    NOT NULL DEFAULT '',
      slots    INTEGER NOT NULL,
      hits     INTEGER NOT NULL DEFAULT 0,
      -- From then on all that it remembers is a window old.
      fresh_at INTEGER NOT NULL DEFAULT 0,
      UNIQUE (scope, name, queue, grp)
    ) STRICT;
    CREATE INDEX reeve_rates_fresh ON reeve_rates (fresh_at);
    CREATE TABLE reeve_rate_hits (
      rate INTEGER NOT NULL REFERENCES reeve_rates (id) ON DELETE CASCADE,
      slot INTEGER NOT NULL,
      at   INTEGER NOT NULL,
      PRIMARY KEY (rate, slot)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE reeve_pauses (
      scope    TEXT NOT NULL CHECK (scope = 'kind' OR scope = 'queue' OR scope = 'group'),
      -- Of a group: its queue; else empty.
      queue    TEXT NOT NULL DEFAULT '',
      name     TEXT NOT NULL,
      -- NULL: until it is resumed.
      until    INTEGER,
      -- Where it was asked for as a length of time: a clock that is set back must not make it longer.
      delay_ms INTEGER,
      reason   TEXT,
      PRIMARY KEY (scope, queue, name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reeve_pauses_until ON reeve_pauses (until) WHERE until IS NOT NULL;
    ${triggers}
  `,
}
