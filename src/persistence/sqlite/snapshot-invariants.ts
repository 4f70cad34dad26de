/**
 * What must hold of a database at rest, as queries: each returns its violators and nothing when all is well. `reeve doctor`,
 * the verification kit and the property tests run the same list.
 */
import { laneInvariants, orphanLanes } from './lane-invariants.ts'

import type { SnapshotInvariant } from './snapshot-invariant.ts'
import { tieInvariants } from './tie-invariants.ts'

/** All invariants of the tables that exist, cheapest first; the last reads the whole file. */
export const snapshotInvariants: readonly SnapshotInvariant[] = [
  {
    name: 'running-iff-leased',
    sql: `SELECT id AS violator FROM reeve_jobs WHERE CASE WHEN state = 'running'
        THEN owner IS NULL OR claim_number IS NULL OR lease_expires_at IS NULL OR claimed_at IS NULL OR token < 1
        ELSE owner IS NOT NULL OR claim_number IS NOT NULL OR lease_expires_at IS NOT NULL END`,
  },
  {
    name: 'result-only-when-settled',
    sql: `SELECT id AS violator FROM reeve_jobs WHERE result IS NOT NULL AND state <> 'completed'`,
  },
  {
    name: 'terminal-is-final',
    sql: `SELECT id AS violator FROM reeve_jobs
        WHERE (settled_at IS NOT NULL) <> (state IN ('completed', 'cancelled', 'discarded'))`,
  },
  {
    name: 'attempts-exact',
    sql: `SELECT id AS violator FROM reeve_jobs WHERE attempt < 0 OR attempt > token OR attempt > coalesce(attempts_max, 0)
        OR (state = 'running' AND attempt < 1) OR (state = 'ready' AND attempt >= attempts_max)`,
  },
  {
    name: 'token-grows-on-claim',
    sql: `SELECT id AS violator FROM reeve_jobs WHERE settled_token > token OR (state = 'running' AND settled_token = token)
        OR (token = 0) <> (claimed_at IS NULL)`,
  },
  {
    name: 'cancel-running-decides-once',
    sql: `SELECT id AS violator FROM reeve_jobs WHERE cancel_requested = 1 AND state NOT IN ('running', 'cancelled')`,
  },
  {
    name: 'published-edges-only',
    sql: `SELECT id AS violator FROM reeve_jobs
        WHERE state NOT IN ('ready', 'running', 'suspended', 'parked', 'completed', 'cancelled', 'discarded')`,
  },
  ...laneInvariants,
  {
    // A timer, an event subscription or a child that is not over; of a job that has not run also its turn, its key, or the jobs that it comes after.
    name: 'suspended-has-a-waker',
    sql: `SELECT id AS violator FROM reeve_jobs AS waiting WHERE state = 'suspended' AND follow_key IS NULL AND in_turn = 0
        AND NOT EXISTS (SELECT 1 FROM reeve_dependencies WHERE job = waiting.seq)
        AND NOT EXISTS (SELECT 1 FROM reeve_steps WHERE job = waiting.seq AND state = 'waiting'
          AND (event IS NOT NULL OR wake_at = waiting.wake_at
            OR EXISTS (SELECT 1 FROM reeve_jobs AS child WHERE child.id = reeve_steps.child AND child.settled_at IS NULL)))
        UNION ALL SELECT id FROM reeve_jobs AS waiting WHERE state = 'suspended'
        AND wake_at IS NOT (SELECT min(wake_at) FROM reeve_steps WHERE job = waiting.seq AND state = 'waiting')
        UNION ALL SELECT id FROM reeve_jobs AS waiting WHERE schedule IS NOT NULL AND settled_at IS NULL AND in_turn = 1
        AND (state <> 'suspended' OR NOT EXISTS (SELECT 1 FROM reeve_jobs AS other
          WHERE other.schedule = waiting.schedule AND other.settled_at IS NULL AND other.in_turn = 0))`,
  },
  {
    name: 'suspended-holds-nothing',
    sql: `SELECT id AS violator FROM reeve_jobs
        WHERE state = 'suspended' AND (owner IS NOT NULL OR claim_number IS NOT NULL OR lease_expires_at IS NOT NULL OR suspect <> 0)`,
  },
  {
    // What it took is an event of its name, for it or for all, that came when it was there; and no two waits of a job took one.
    name: 'wake-consumes-once',
    sql: `SELECT holder.id AS violator FROM reeve_steps AS step JOIN reeve_jobs AS holder ON holder.seq = step.job
        LEFT JOIN reeve_emitted AS event ON event.seq = step.taken
        WHERE step.taken IS NOT NULL AND (step.state <> 'ended' OR (event.seq IS NOT NULL AND (event.event <> step.event
          OR event.job <> step.job OR (event.job IS NULL AND (step.match_key <> coalesce(event.key, '') OR event.after_job < step.job)))))
        UNION ALL SELECT holder.id FROM reeve_steps AS step JOIN reeve_jobs AS holder ON holder.seq = step.job
        WHERE step.taken IS NOT NULL GROUP BY step.job, step.taken HAVING count(*) > 1`,
  },
  {
    // The shape of it that one snapshot shows: a job is one row. NOT INDEXED, or the unique index would answer for itself.
    name: 'conservation',
    sql: 'SELECT id AS violator FROM reeve_jobs NOT INDEXED GROUP BY id HAVING count(*) > 1',
  },
  ...tieInvariants,
  {
    // NOT INDEXED, or the unique index would answer for itself.
    name: 'fires-once',
    sql: `SELECT min(id) AS violator FROM reeve_jobs NOT INDEXED WHERE scheduled_at IS NOT NULL
        GROUP BY schedule, scheduled_at HAVING count(*) > 1`,
  },
  {
    name: 'no-orphans',
    sql: `SELECT 'foreign key of ' || "table" || ', row ' || rowid AS violator FROM pragma_foreign_key_check WHERE "table" LIKE 'reeve\\_%' ESCAPE '\\'
        UNION ALL ${orphanLanes}
        UNION ALL SELECT quick_check FROM pragma_quick_check WHERE quick_check <> 'ok'`,
  },
]
