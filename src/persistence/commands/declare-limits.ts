/** Declare limits: the command that says which hold, and its answer. */
import type { GlobalLimit } from '../../job/declared-limits.ts'

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
