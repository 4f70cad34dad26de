/** Enqueue: the command that inserts jobs, and its answer. */
import type { JobId } from '../../job/lease.ts'
import type { StoredPayload } from '../../job/payload.ts'
import type { Backoff } from '../../job/retry-policy.ts'

/** A job to insert. Absent overrides are null: the kind's own options then hold at the claim. */
export interface NewJob {
  readonly id: JobId
  readonly kind: string
  readonly queue: string
  /** Higher runs first; any integer. */
  readonly priority: number
  /** Wall clock, milliseconds. */
  readonly runAt: number
  readonly input: StoredPayload
  readonly timeoutMs: number | null
  readonly attemptsMax: number | null
  readonly backoff: Backoff | null
}

/** Inserts jobs as `ready`, all or none. An id that is there already is left as it is (a repeated command). */
export interface EnqueueCommand {
  readonly type: 'enqueue'
  readonly now: number
  readonly jobs: readonly NewJob[]
}
/** All jobs of the command are there. */
export interface EnqueueAnswer {
  readonly type: 'enqueued'
}
