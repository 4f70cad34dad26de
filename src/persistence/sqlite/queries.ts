/** What can be asked of a store without changing it. Each answer is one snapshot; no statement stays open between turns. */
import type { Database } from 'better-sqlite3'
import type { JobId, Lease, LeaseToken, OwnerId } from '../../job/lease.ts'
import { isTerminal, type JobState } from '../../job/state.ts'
import type { JobRow } from '../job-row.ts'
import type { OverdueOwner } from '../presence.ts'
import type { Violation } from '../store.ts'
import { inputColumn, type JobColumns, toJobRow } from './job-columns.ts'
import { snapshotInvariants } from './snapshot-invariants.ts'

/** The queries of a store, synchronous. */
export interface Queries {
  job(id: JobId): JobRow | null
  finished(ids: readonly JobId[]): Map<JobId, JobRow | null>
  cancelRequests(owner: OwnerId): Lease[]
  violations(): Violation[]
  otherOwners(owner: OwnerId): OwnerId[]
  overdueOwners(owner: OwnerId, now: number): OverdueOwner[]
  changedElsewhere(): boolean
}

/** Prepares the queries for a connection and takes the baseline of `changedElsewhere`. */
export function prepareQueries(db: Database): Queries {
  // Of two columns with one name the later one counts.
  const row = db.prepare<[JobId], JobColumns>(`SELECT *, ${inputColumn} FROM reeve_jobs WHERE id = ?`)
  const state = db.prepare<[JobId], JobState>('SELECT state FROM reeve_jobs WHERE id = ?').pluck()
  const cancelRequests = db.prepare<[OwnerId], { id: JobId; token: LeaseToken }>(
    "SELECT id, token FROM reeve_jobs WHERE state = 'running' AND owner = ? AND cancel_requested = 1",
  )
  const otherOwners = db
    .prepare<{ owner: OwnerId }, OwnerId>(`
      SELECT owner FROM reeve_supervisors WHERE owner <> @owner
      UNION SELECT owner FROM reeve_jobs WHERE state = 'running' AND owner <> @owner
    `)
    .pluck()
  // By the index of running jobs: this reads what others run, and not what waits.
  const overdueOwners = db.prepare<{ owner: OwnerId; now: number }, OverdueOwner>(`
    SELECT owner, count(*) AS jobs, min(lease_expires_at) AS expiredAt
    FROM reeve_jobs INDEXED BY reeve_jobs_running
    WHERE state = 'running' AND owner <> @owner AND lease_expires_at < @now GROUP BY owner
  `)
  const dataVersion = db.prepare<[], number>('PRAGMA data_version').pluck()
  let versionSeen = dataVersion.get()

  const job = (id: JobId): JobRow | null => {
    const found = row.get(id)
    return found === undefined ? null : toJobRow(found)
  }
  return {
    job,
    finished(ids) {
      const found = new Map<JobId, JobRow | null>()
      for (const id of ids) {
        // The state first: a job that still waits may carry megabytes of input.
        const present = state.get(id)
        if (present === undefined) found.set(id, null)
        else if (isTerminal(present)) found.set(id, job(id))
      }
      return found
    },
    cancelRequests: (owner) => cancelRequests.all(owner).map(({ id, token }) => ({ jobId: id, token })),
    violations: () => violationsOf(db),
    otherOwners: (owner) => otherOwners.all({ owner }),
    overdueOwners: (owner, now) => overdueOwners.all({ owner, now }),
    changedElsewhere() {
      const version = dataVersion.get()
      const changed = version !== versionSeen
      versionSeen = version
      return changed
    },
  }
}

function violationsOf(db: Database): Violation[] {
  return snapshotInvariants.flatMap(({ name, sql }) => {
    const violators = db.prepare<[], string>(sql).pluck().all()
    return violators.map((violator) => ({ invariant: name, violator: String(violator) }))
  })
}
