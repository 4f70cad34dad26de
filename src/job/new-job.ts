/** A job on its way into a store: plain data, made by whoever enqueues (the client, or a handler on its thread). */
import type { NewDependencies } from './flow.ts'
import type { JobId } from './lease.ts'
import type { StoredPayload } from './payload.ts'
import type { Backoff } from './retry-policy.ts'
import type { UniqueRule } from './unique-key.ts'

/** A job to insert. Absent overrides are null: the kind's own options then hold at the claim. */
export interface NewJob {
  readonly id: JobId
  readonly kind: string
  readonly queue: string
  /** Takes turns with the other groups of its queue; null for none. */
  readonly group: string | null
  /** Higher runs first; any integer. */
  readonly priority: number
  /** Wall clock, milliseconds. */
  readonly runAt: number
  readonly input: StoredPayload
  readonly timeoutMs: number | null
  readonly attemptsMax: number | null
  readonly backoff: Backoff | null
  /** What makes it the only one of its key; absent: it is one of many. */
  readonly unique?: UniqueRule
  /** Whom it waits for; absent: nobody. */
  readonly after?: NewDependencies
  /** Absent: none, or that of its parent. */
  readonly correlationId?: string
}
