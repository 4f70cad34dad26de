/** How a job stands in the table, and how it is read back. */
import type { ErrorRecord } from '../../job/error-record.ts'
import type { JobId, LeaseToken, OwnerId } from '../../job/lease.ts'
import type { StoredPayload } from '../../job/payload.ts'
import type { Backoff } from '../../job/retry-policy.ts'
import type { JobTick } from '../../job/schedule/job-tick.ts'
import type { JobState } from '../../job/state.ts'
import type { Crash, JobRow } from '../job-row.ts'

/** A row of `reeve_jobs` as SQLite returns it. Columns are explained in the migration. */
export interface JobColumns {
  readonly seq: number
  readonly id: JobId
  readonly kind: string
  readonly queue: string
  readonly grp: string | null
  /** Null also where it is over. */
  readonly lane: number | null
  readonly state: JobState
  readonly priority: number
  readonly run_at: number
  readonly attempt: number
  readonly attempts_max: number | null
  readonly timeout_ms: number | null
  readonly backoff: string | null
  readonly token: LeaseToken
  readonly owner: OwnerId | null
  readonly claim_number: number | null
  readonly lease_expires_at: number | null
  readonly cancel_requested: 0 | 1
  readonly crashes: number
  /** How many of them it was held alone at: only these count against it. */
  readonly crashes_alone: number
  /** JSON list of {@link Crash}. */
  readonly crash_log: string | null
  readonly suspect: 0 | 1
  /** The owner whose death was the last crash; a repeated reclaim is known by it. */
  readonly lost_owner: OwnerId | null
  /** The token of the last settle that took effect; a repeated settle is known by it. */
  readonly settled_token: number | null
  /** Where that settle put the job back to `ready`: the due time that it gave. Null where it ended the job. */
  readonly settled_run_at: number | null
  readonly created_at: number
  /** Of a scheduled job: its schedule, its instant (null where it was triggered by hand), and the instant after that. */
  readonly schedule: string | null
  readonly scheduled_at: number | null
  readonly next_tick_at: number | null
  readonly catch_up: 0 | 1
  readonly claimed_at: number | null
  /** Of the attempt that settled last; so is `thread_id`. */
  readonly started_at: number | null
  readonly thread_id: number | null
  /** JSON of a list of timings, where it completed. */
  readonly timings: string | null
  readonly settled_at: number | null
  readonly progress: number | null
  readonly progress_note: string | null
  readonly error: string | null
  readonly input: StoredPayload
  readonly result: StoredPayload
  /** Whether something waits for its end: a key, a follow-up, a dependent. */
  readonly hooks: 0 | 1
  readonly unique_key: string | null
  readonly parent: JobId | null
  readonly root: JobId | null
  readonly correlation_id: string | null
}

/** Inputs longer than this (bytes, or characters of text) stand in `reeve_inputs`; up to it a row fits its page. */
export const inputInRowMax = 2_000

/** Selects the input from wherever it stands. */
export const inputColumn = 'coalesce(input, (SELECT large.input FROM reeve_inputs AS large WHERE large.job = seq)) AS input'

/** A row as a person sees it. */
export function toJobRow(row: JobColumns): JobRow {
  return {
    id: row.id,
    kind: row.kind,
    queue: row.queue,
    group: row.grp,
    state: row.state,
    priority: row.priority,
    runAt: row.run_at,
    attempt: row.attempt,
    attemptsMax: row.attempts_max,
    timeoutMs: row.timeout_ms,
    token: row.token,
    owner: row.owner,
    leaseExpiresAt: row.lease_expires_at,
    cancelRequested: row.cancel_requested === 1,
    crashes: row.crashes,
    crashLog: crashLogFromColumn(row.crash_log),
    isSuspect: row.suspect === 1,
    progress: row.progress,
    progressNote: row.progress_note,
    input: row.input,
    result: row.result,
    error: row.error === null ? null : (JSON.parse(row.error) as ErrorRecord),
    createdAt: row.created_at,
    tick: tickOf(row),
    claimedAt: row.claimed_at,
    settledAt: row.settled_at,
    uniqueKey: row.unique_key,
    parent: row.parent,
    root: row.root,
    correlationId: row.correlation_id,
  }
}

/** For which tick of which schedule a job was made; null where it was enqueued. */
export function tickOf(row: Pick<JobColumns, 'schedule' | 'scheduled_at' | 'next_tick_at' | 'catch_up'>): JobTick | null {
  if (row.schedule === null) return null
  const { schedule, scheduled_at: scheduledAt, next_tick_at: nextAt } = row
  return { schedule, scheduledAt, nextAt, isCatchUp: row.catch_up === 1 }
}

/** Backoff as it stands in its column. */
export function backoffFromColumn(backoff: string | null): Backoff | null {
  return backoff === null ? null : (JSON.parse(backoff) as Backoff)
}

/** The latest crashes as they stand in their column. */
export function crashLogFromColumn(log: string | null): readonly Crash[] {
  return log === null ? [] : (JSON.parse(log) as Crash[])
}

/** Text and null as they are; bytes as the Buffer that better-sqlite3 wants, without a copy. */
export function payloadToColumn(payload: StoredPayload): string | Buffer | null {
  if (payload === null || typeof payload === 'string') return payload
  return Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
}

/** Points of time are stored as whole milliseconds, rounded up: nothing is ever due, or expired, too early. */
export function timeToColumn(ms: number): number {
  return Math.ceil(ms)
}
