/** What must hold at rest of unique keys, follow-ups and jobs that wait for others. */
import type { SnapshotInvariant } from './snapshot-invariant.ts'

const isOver = (job: string) => `${job}.state IN ('completed', 'cancelled', 'discarded')`

/** The invariants of ties between jobs. */
export const tieInvariants: readonly SnapshotInvariant[] = [
  {
    // NOT INDEXED, or the unique index would answer for itself. A live job holds its key until its time has passed.
    name: 'unique-key-holds',
    sql: `SELECT unique_key AS violator FROM reeve_jobs NOT INDEXED WHERE unique_holds = 1 GROUP BY unique_key HAVING count(*) > 1
        UNION ALL SELECT id FROM reeve_jobs AS job WHERE unique_key IS NOT NULL AND unique_holds = 0 AND unique_until IS NULL
          AND follow_key IS NULL AND NOT ${isOver('job')}
        UNION ALL SELECT id FROM reeve_jobs WHERE follow_key IS NOT NULL AND (state <> 'suspended' OR unique_holds = 1)`,
  },
  {
    name: 'one-transaction-frees-all',
    sql: `SELECT id AS violator FROM reeve_jobs AS job WHERE unique_holds = 1 AND ${isOver('job')}
          AND (unique_while = 'live' OR (unique_while = 'completed' AND state <> 'completed'))
        UNION ALL SELECT job.id FROM reeve_dependencies JOIN reeve_jobs AS job ON job.seq = reeve_dependencies.job
          JOIN reeve_jobs AS needed ON needed.seq = needs WHERE ${isOver('needed')} OR ${isOver('job')} OR needed.hooks = 0`,
  },
  {
    // A follow-up waits for a job that holds its key and is not over.
    name: 'suspended-has-a-waker',
    sql: `SELECT id AS violator FROM reeve_jobs AS job WHERE follow_key IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM reeve_jobs AS holder WHERE holder.unique_key = job.follow_key AND holder.unique_holds = 1
            AND NOT ${isOver('holder')})`,
  },
]
