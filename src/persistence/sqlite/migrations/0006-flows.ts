/**
 * Flows: jobs that wait for others, parents and children. A job may only wait for jobs that are there already, so there can
 * be no cycle.
 */
import type { Migration } from './migration.ts'

/** What a row holds of an input; released with this schema, so it is said here for ever. */
const inputInRowMax = 2_000

/**
 * An enqueue as an insert into a view, for transactions of the app's own: one statement is all that it has to run. A key whose time
 * has passed is free, unless a follow-up is its heir. The message of RAISE is what the app's driver throws.
 */
const enqueueView = `
    CREATE VIEW reeve_enqueue (id, kind, queue, grp, priority, run_at, attempts_max, timeout_ms, backoff, created_at, input,
      unique_key, unique_while, unique_until, unique_conflict, correlation_id)
      AS SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL WHERE 0;
    CREATE TRIGGER reeve_enqueue_insert INSTEAD OF INSERT ON reeve_enqueue
    BEGIN
      UPDATE reeve_jobs SET unique_holds = 0 WHERE unique_key = NEW.unique_key AND unique_holds = 1 AND unique_until <= NEW.created_at
        AND NOT EXISTS (SELECT 1 FROM reeve_jobs WHERE follow_key = NEW.unique_key);
      SELECT RAISE(ABORT, 'REEVE_JOB_DUPLICATE: another job holds the unique key') WHERE NEW.unique_conflict = 'reject'
        AND EXISTS (SELECT 1 FROM reeve_jobs WHERE unique_key = NEW.unique_key AND unique_holds = 1);
      INSERT INTO reeve_jobs (id, kind, queue, grp, state, priority, run_at, attempts_max, timeout_ms, backoff, created_at, input,
        hooks, unique_key, unique_holds, unique_while, unique_until, correlation_id)
        SELECT NEW.id, NEW.kind, NEW.queue, NEW.grp, 'ready', NEW.priority, NEW.run_at, NEW.attempts_max, NEW.timeout_ms, NEW.backoff,
          NEW.created_at, iif(length(NEW.input) > ${inputInRowMax}, NULL, NEW.input),
          NEW.unique_key IS NOT NULL, NEW.unique_key, NEW.unique_key IS NOT NULL, NEW.unique_while, NEW.unique_until, NEW.correlation_id
        WHERE NEW.unique_key IS NULL OR NOT EXISTS (SELECT 1 FROM reeve_jobs WHERE unique_key = NEW.unique_key AND unique_holds = 1);
      INSERT INTO reeve_inputs (job, input)
        SELECT seq, NEW.input FROM reeve_jobs WHERE id = NEW.id AND length(NEW.input) > ${inputInRowMax};
      UPDATE reeve_jobs SET lane = lane WHERE id = NEW.id AND grp IS NOT NULL;
    END;
`

/** Adds the family of a job to `reeve_jobs`; creates `reeve_dependencies` and the view `reeve_enqueue`. */
export const flowsMigration: Migration = {
  version: 6,
  name: 'flows',
  tables: ['reeve_dependencies', 'reeve_enqueue'],
  sql: `
    ALTER TABLE reeve_jobs ADD COLUMN parent TEXT;
    ALTER TABLE reeve_jobs ADD COLUMN root TEXT;
    ALTER TABLE reeve_jobs ADD COLUMN correlation_id TEXT;
    -- What becomes of it where a job that it waits for fails: 'run', 'discard' or 'cancel'.
    ALTER TABLE reeve_jobs ADD COLUMN after_failed TEXT;
    CREATE INDEX reeve_jobs_parent ON reeve_jobs (parent) WHERE parent IS NOT NULL;
    CREATE INDEX reeve_jobs_correlation ON reeve_jobs (correlation_id) WHERE correlation_id IS NOT NULL;

    CREATE TABLE reeve_dependencies (
      job   INTEGER NOT NULL REFERENCES reeve_jobs (seq) ON DELETE CASCADE,
      needs INTEGER NOT NULL REFERENCES reeve_jobs (seq) ON DELETE CASCADE,
      PRIMARY KEY (job, needs)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reeve_dependencies_needs ON reeve_dependencies (needs);
    ${enqueueView}
  `,
}
