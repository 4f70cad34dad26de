/** Declare limits: the command that says which hold, and its answer. */
import type { Ring } from '../../job/limits.ts'

/** Limits of a kind or a queue, or the capacity of a resource, over all processes on the file. Null is no limit. */
export interface GlobalLimit {
  readonly scope: 'kind' | 'queue' | 'resource'
  readonly name: string
  readonly concurrency: number | null
  readonly groupConcurrency: number | null
  readonly rate: Ring | null
  readonly groupRate: Ring | null
  /** Of a kind: the resource that each of its running jobs takes one of. */
  readonly resource: string | null
  /** Of a kind: the locks that each of its running jobs holds. */
  readonly exclusive: readonly string[] | null
}

/**
 * From now on these limits hold, for all processes: what was declared last counts. Of the kinds and queues named, whichever
 * has no limit here has none any more; all others are left as they are. Jobs that run already are not held against a new limit.
 */
export interface DeclareLimitsCommand {
  readonly type: 'declare-limits'
  readonly now: number
  readonly limits: readonly GlobalLimit[]
  readonly kinds: readonly string[]
  /** Null for all. */
  readonly queues: readonly string[] | null
}
/** They hold. */
export interface DeclareLimitsAnswer {
  readonly type: 'limits-declared'
}
