/** A job as `runtime.get` shows it. */
import type { JobId } from '../job/lease.ts'
import { decodePayload } from '../job/payload.ts'
import type { JobTick } from '../job/schedule/job-tick.ts'
import type { JobState } from '../job/state.ts'
import type { Crash, JobRow } from '../persistence/job-row.ts'
import { reviveError } from '../threads/revive-error.ts'

/** Everything that is known of one job at one moment. Times are milliseconds since the Unix epoch. */
export interface JobSnapshot {
  readonly id: JobId
  readonly kind: string
  readonly queue: string
  /** Null where it has none. */
  readonly group: string | null
  readonly state: JobState
  readonly priority: number
  /** When it may run (or might have, where it is over). */
  readonly runAt: number
  /** How many attempts are charged; the present one included. */
  readonly attempt: number
  /** Null before the first attempt, unless the enqueue said. */
  readonly attemptsMax: number | null
  /** How often a process died while it held this job. */
  readonly crashes: number
  /** The latest of those deaths, oldest first. */
  readonly crashLog: readonly Crash[]
  /** Whether it may be what killed a process: it then runs with nothing beside it, once. */
  readonly isSuspect: boolean
  readonly cancelRequested: boolean
  readonly progress: { readonly fraction: number | null; readonly note: string | null }
  readonly input: unknown
  /** `undefined` unless it completed. */
  readonly result: unknown
  /** The error of the last attempt that ended badly, or why the job was put back. */
  readonly error: Error | null
  readonly createdAt: number
  /** For which tick of which schedule it was made; null where it was enqueued. */
  readonly tick: JobTick | null
  readonly claimedAt: number | null
  /** When it was over. */
  readonly settledAt: number | null
  /** The unique key with its scope, as a JSON list; null where it is one of many. */
  readonly uniqueKey: string | null
  /** The job whose handler enqueued it. */
  readonly parent: JobId | null
  /** The first job of its family; null where it is the first, or has none. */
  readonly root: JobId | null
  readonly correlationId: string | null
}

/** Decodes a row; what only the supervisor needs is left out. */
export function snapshotOf(row: JobRow): JobSnapshot {
  const { token: _token, owner: _owner, leaseExpiresAt: _expiry, timeoutMs: _timeout, progressNote: note, ...shown } = row
  return {
    ...shown,
    progress: { fraction: row.progress, note },
    input: decodePayload(row.input),
    result: decodePayload(row.result),
    error: row.error === null ? null : reviveError(row.error),
  }
}
