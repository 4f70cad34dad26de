/** Reads the history of a job: its entries, and the attempt that its own row tells of. */
import type { Database } from 'better-sqlite3'
import type { ErrorRecord } from '../../job/error-record.ts'
import type { JobId, OwnerId } from '../../job/lease.ts'
import type { Timing } from '../../job/timing.ts'
import type { AttemptRow, HistoryOutcome } from '../attempt-row.ts'
import type { JobColumns } from './job-columns.ts'

interface EntryColumns {
  readonly attempt: number
  readonly token: number
  readonly outcome: HistoryOutcome
  readonly claimed_at: number | null
  readonly started_at: number | null
  readonly ended_at: number
  readonly thread_id: number | null
  readonly owner: OwnerId | null
  readonly error: string | null
  readonly timings: string | null
}

type OwnRow = Pick<
  JobColumns,
  'seq' | 'state' | 'token' | 'attempt' | 'claimed_at' | 'started_at' | 'thread_id' | 'timings' | 'settled_at' | 'owner'
>

/** Prepares the query for a connection. Null where no job has the id. */
export function prepareAttempts(db: Database): (id: JobId) => AttemptRow[] | null {
  const own = db.prepare<[JobId], OwnRow>(`
    SELECT seq, state, token, attempt, claimed_at, started_at, thread_id, timings, settled_at, owner FROM reeve_jobs WHERE id = ?
  `)
  const entries = db.prepare<[number], EntryColumns>(`
    SELECT attempt, token, outcome, claimed_at, started_at, ended_at, thread_id, owner, error, timings
    FROM reeve_attempts WHERE job = ? ORDER BY number
  `)
  return (id) => {
    const row = own.get(id)
    if (row === undefined) return null
    const told = toldByRow(row)
    const past = entries.all(row.seq).map(toAttemptRow)
    return told === null ? past : [...past, told]
  }
}

/** Only a running and a completed attempt have no entry. What a running one's row says of a start is an earlier one's. */
function toldByRow(row: OwnRow): AttemptRow | null {
  const { state, token, attempt, claimed_at: claimedAt, owner } = row
  const common = { attempt, token, claimedAt, owner, error: null, timings: [] }
  if (state === 'running') return { ...common, outcome: null, startedAt: null, endedAt: null, threadId: null }
  if (state !== 'completed') return null
  const timings = timingsFromColumn(row.timings)
  return { ...common, outcome: 'complete', startedAt: row.started_at, endedAt: row.settled_at, threadId: row.thread_id, timings }
}

function toAttemptRow(row: EntryColumns): AttemptRow {
  const { attempt, token, outcome, owner } = row
  return {
    attempt,
    token,
    outcome,
    claimedAt: row.claimed_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    threadId: row.thread_id,
    owner,
    error: row.error === null ? null : (JSON.parse(row.error) as ErrorRecord),
    timings: timingsFromColumn(row.timings),
  }
}

function timingsFromColumn(timings: string | null): readonly Timing[] {
  return timings === null ? [] : (JSON.parse(timings) as Timing[])
}
