/**
 * The triggers that write the stream of events. They stand in the file while the stream is on, so whoever changes a job writes
 * its event in the same transaction: another process, another version, or a hand at a prompt.
 */

const columns = 'at, type, job, kind, queue, attempt, token, run_at, error'
const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
const subject = 'NEW.id, NEW.kind, NEW.queue, NEW.attempt, NEW.token'
const dueWhereItWaits = "iif(NEW.state = 'ready', NEW.run_at, NULL)"

const what = `CASE
    WHEN NEW.state = 'running' THEN 'claimed'
    WHEN NEW.state <> 'ready' THEN NEW.state
    WHEN OLD.settled_at IS NOT NULL THEN 'retried'
    WHEN OLD.state = 'parked' THEN 'reopened'
    WHEN OLD.state = 'suspended' THEN 'woken'
    WHEN NEW.crashes > OLD.crashes THEN 'reclaimed'
    WHEN NEW.attempt = OLD.attempt THEN 'retrying'
    WHEN NEW.run_at > OLD.run_at THEN 'snoozed'
    ELSE 'interrupted'
  END`

const isOfAnError = `NEW.error IS NOT NULL AND OLD.state = 'running'
    AND (NEW.state = 'discarded' OR (NEW.state = 'ready' AND (NEW.crashes > OLD.crashes OR NEW.attempt = OLD.attempt)))`

const error = `CASE WHEN ${isOfAnError} THEN json_object('name', NEW.error ->> '$.name',
    'message', substr(NEW.error ->> '$.message', 1, 500), 'code', NEW.error ->> '$.code') END`

/** Each trigger by its name, as `sqlite_schema` keeps its text. */
export const eventTriggers: Readonly<Record<string, string>> = {
  reeve_events_enqueued: `CREATE TRIGGER reeve_events_enqueued AFTER INSERT ON reeve_jobs BEGIN
  INSERT INTO reeve_events (${columns}) VALUES (${now}, 'enqueued', ${subject}, ${dueWhereItWaits}, NULL);
END`,
  reeve_events_moved: `CREATE TRIGGER reeve_events_moved AFTER UPDATE OF state ON reeve_jobs WHEN NEW.state <> OLD.state BEGIN
  INSERT INTO reeve_events (${columns}) VALUES (${now}, ${what}, ${subject}, ${dueWhereItWaits}, ${error});
END`,
  reeve_events_deleted: `CREATE TRIGGER reeve_events_deleted AFTER DELETE ON reeve_jobs WHEN OLD.settled_at IS NULL BEGIN
  INSERT INTO reeve_events (${columns})
  VALUES (${now}, 'deleted', OLD.id, OLD.kind, OLD.queue, OLD.attempt, OLD.token, NULL, NULL);
END`,
}
