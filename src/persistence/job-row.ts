/** A job as a person sees it. */
import type { ErrorRecord } from '../job/error-record.ts'
import type { JobId, LeaseToken, OwnerId } from '../job/lease.ts'
import type { StoredPayload } from '../job/payload.ts'
import type { JobTick } from '../job/schedule/job-tick.ts'
import type { JobState } from '../job/state.ts'

/** One death of a process that held the job. */
export interface Crash {
  /** When its jobs were taken back, wall clock. */
  readonly at: number
  readonly owner: OwnerId
  /** Whether this was the only job that the owner held. */
  readonly alone: boolean
}

/** A job as a person sees it. */
export interface JobRow {
  readonly id: JobId
  readonly kind: string
  readonly queue: string
  /** Null where it has none. */
  readonly group: string | null
  readonly state: JobState
  readonly priority: number
  readonly runAt: number
  readonly attempt: number
  /** Null until the first claim, unless the enqueue set it. */
  readonly attemptsMax: number | null
  readonly timeoutMs: number | null
  readonly token: LeaseToken
  readonly owner: OwnerId | null
  readonly leaseExpiresAt: number | null
  readonly cancelRequested: boolean
  /** How often a process died while it held the job. */
  readonly crashes: number
  /** The latest of these deaths, oldest first. */
  readonly crashLog: readonly Crash[]
  /** It was held when a process died and has not settled since: it runs alone. */
  readonly isSuspect: boolean
  readonly progress: number | null
  readonly progressNote: string | null
  readonly input: StoredPayload
  readonly result: StoredPayload
  /** The error of the last attempt that ended badly, or why the job was put back. */
  readonly error: ErrorRecord | null
  readonly createdAt: number
  /** For which tick of which schedule it was made; null where it was enqueued. */
  readonly tick: JobTick | null
  /** When the present or last attempt was claimed. */
  readonly claimedAt: number | null
  /** When it came into its terminal state. */
  readonly settledAt: number | null
  /** With its scope, as a JSON list; null where it is one of many. */
  readonly uniqueKey: string | null
  /** The job whose handler enqueued it. */
  readonly parent: JobId | null
  /** The first job of its family; null where it is the first, or has none. */
  readonly root: JobId | null
  readonly correlationId: string | null
}
