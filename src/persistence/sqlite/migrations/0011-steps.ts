/**
 * Steps, and what ends their waits. A step that has ended is never changed again; one that waits is the subscription itself:
 * its timer, its event, or the job that it invoked, whose end is met by a trigger, whichever verb ended it.
 */
import type { Migration } from './migration.ts'

/** Before the waits end: only those that wait are found. A job that runs finds the end of its wait when it suspends. */
function wakeParents(child: 'NEW' | 'OLD', runAt: string): string {
  return `UPDATE reeve_jobs SET state = 'ready', run_at = ${runAt}, lane = lane
      WHERE state = 'suspended' AND seq IN (
        SELECT job FROM reeve_steps WHERE child = ${child}.id AND child IS NOT NULL AND state = 'waiting');`
}

/** What the end of a job does to the steps that wait for it. */
export const childOver = `${wakeParents('NEW', 'NEW.settled_at')}
  UPDATE reeve_steps SET ended_at = NEW.settled_at, value = iif(NEW.state = 'completed', NEW.result, NULL),
    state = iif(NEW.state = 'completed', 'ended', 'failed'), stands = iif(NEW.state = 'completed', 1, 0),
    error = iif(NEW.state = 'completed', NULL, json_patch('{}', json_object('name', 'ReeveError', 'code', 'REEVE_STEP_INVOKE_FAILED',
      'message', 'Step ''' || name || ''': job ' || NEW.id || ' (' || NEW.kind || ') was ' || NEW.state
        || iif(NEW.state = 'discarded', coalesce(': ' || (NEW.error ->> '$.message'), '.'), '.'),
      'cause', iif(NEW.state = 'discarded', json(NEW.error), NULL),
      'fields', json_object('jobId', NEW.id, 'kind', NEW.kind))))
  WHERE child = NEW.id AND child IS NOT NULL AND state = 'waiting';`

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
      type       TEXT    NOT NULL CHECK (type = 'run' OR type = 'sleep' OR type = 'event' OR type = 'invoke'),
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
      -- The id of the job that it invoked.
      child      TEXT,
      started_at INTEGER NOT NULL,
      ended_at   INTEGER,
      error      TEXT,
      value      ANY,
      CONSTRAINT ended_iff_over CHECK ((ended_at IS NULL) = (state = 'waiting')),
      UNIQUE (job, name)
    ) STRICT;
    CREATE INDEX reeve_steps_waiting ON reeve_steps (job, wake_at) WHERE state = 'waiting';
    CREATE INDEX reeve_steps_event ON reeve_steps (event, match_key) WHERE state = 'waiting' AND event IS NOT NULL;
    CREATE INDEX reeve_steps_child ON reeve_steps (child) WHERE state = 'waiting' AND child IS NOT NULL;
    CREATE UNIQUE INDEX reeve_steps_taken ON reeve_steps (job, taken) WHERE taken IS NOT NULL;

    -- A job that somebody waits for has hooks = 1, so that all others pay one comparison.
    CREATE TRIGGER reeve_steps_child_over AFTER UPDATE OF settled_at ON reeve_jobs
    WHEN NEW.hooks = 1 AND NEW.settled_at IS NOT NULL AND OLD.settled_at IS NULL
    BEGIN
      ${childOver}
    END;

    CREATE TRIGGER reeve_steps_child_gone AFTER DELETE ON reeve_jobs WHEN OLD.hooks = 1
    BEGIN
      ${wakeParents('OLD', 'run_at')}
      UPDATE reeve_steps SET state = 'failed', stands = 0, ended_at = started_at,
        error = json_object('name', 'ReeveError', 'code', 'REEVE_STEP_INVOKE_FAILED',
          'message', 'Step ''' || name || ''': job ' || OLD.id || ' (' || OLD.kind || ') was deleted.',
          'fields', json_object('jobId', OLD.id, 'kind', OLD.kind))
      WHERE child = OLD.id AND child IS NOT NULL AND state = 'waiting';
    END;

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
