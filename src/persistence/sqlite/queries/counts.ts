/** How many jobs are in each state. No row is read: every state has an index that holds its jobs and little else. */
import type { Database } from 'better-sqlite3'
import type { JobState } from '../../../job/state.ts'

const waiting = "state = 'ready' AND suspect"
const over = 'settled_at IS NOT NULL AND state'

/** One statement for one snapshot; exported so that a test can hold its plan against the promise above. */
export const countsSql = `SELECT
  (SELECT count(*) FROM reeve_jobs WHERE ${waiting} = 0 AND grp IS NULL)
    + (SELECT count(*) FROM reeve_jobs WHERE ${waiting} = 0 AND lane IS NOT NULL)
    + (SELECT count(*) FROM reeve_jobs WHERE ${waiting} = 1) AS ready,
  (SELECT count(*) FROM reeve_jobs WHERE state = 'running') AS running,
  (SELECT count(*) FROM reeve_jobs WHERE state = 'suspended') AS suspended,
  (SELECT count(*) FROM reeve_jobs WHERE state = 'parked') AS parked,
  (SELECT count(*) FROM reeve_jobs WHERE ${over} = 'completed') AS completed,
  (SELECT count(*) FROM reeve_jobs WHERE ${over} = 'cancelled') AS cancelled,
  (SELECT count(*) FROM reeve_jobs WHERE ${over} = 'discarded') AS discarded`

/** Prepares the count for a connection. */
export function prepareCounts(db: Database): () => Record<JobState, number> {
  const counts = db.prepare<[], Record<JobState, number>>(countsSql)
  return () => counts.get() as Record<JobState, number>
}
