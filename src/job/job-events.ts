/**
 * What a runtime tells of its jobs, as plain data on its way from the supervisor thread to the app. Each is sent
 * after the COMMIT that made it true.
 */
import type { ErrorRecord } from './error-record.ts'
import type { JobId, LeaseToken } from './lease.ts'
import type { StoredPayload } from './payload.ts'
import type { TerminalState } from './state.ts'

/** Which attempt of which job an event is about. */
export interface JobEventSubject {
  readonly jobId: JobId
  readonly kind: string
  readonly queue: string
  readonly attempt: number
  readonly token: LeaseToken
}

/** One event of one job. */
export type JobEvent =
  | (JobEventSubject & { readonly type: 'started'; readonly threadId: number })
  | (JobEventSubject & { readonly type: 'condemned'; readonly threadId: number })
  | (JobEventSubject & { readonly type: 'progress'; readonly fraction: number | null; readonly note: string | null })
  | (JobEventSubject & { readonly type: 'completed'; readonly result: StoredPayload; readonly durationMs: number })
  | (JobEventSubject & { readonly type: 'retrying'; readonly error: ErrorRecord; readonly runAt: number })
  | (JobEventSubject & { readonly type: 'discarded'; readonly error: ErrorRecord | null })
  | (JobEventSubject & { readonly type: 'cancelled' })
  | (JobEventSubject & { readonly type: 'suspended' })
  | (JobEventSubject & { readonly type: 'snoozed'; readonly runAt: number })
  | (JobEventSubject & { readonly type: 'breaker-opened'; readonly until: number })
  | (JobEventSubject & { readonly type: 'breaker-closed' })
  | (JobEventSubject & { readonly type: 'interrupted'; readonly error: ErrorRecord | null; readonly runAt: number })

/** The end of a job, as a waiter needs it. */
export interface JobEnd {
  readonly jobId: JobId
  readonly kind: string
  readonly attempt: number
  readonly state: TerminalState
  readonly result: StoredPayload
  readonly error: ErrorRecord | null
}
