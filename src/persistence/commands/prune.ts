/** Prune: the command that deletes what is over and need not be kept, and its answer. */
import type { RetentionBound } from '../../job/retention.ts'
import type { TerminalState } from '../../job/state.ts'

/** How far a pass over one state has come, from the latest to the oldest, and how many of each rule it has seen. */
export interface PruneCursor {
  readonly settledAt: number
  readonly seq: number
  readonly seen: readonly number[]
}

/**
 * One slice of a pass: looks at a bounded number of jobs of the state, the latest first, and deletes those that are at least as
 * old as their rule allows, or more than it allows. Never one that another job waits for, or that still guards a unique key.
 */
export interface PruneCommand {
  readonly type: 'prune'
  readonly now: number
  /** Names the pass; with the number of the page a repeated command is known, changes nothing and gets the same answer. */
  readonly operation: string
  readonly page: number
  readonly state: TerminalState
  readonly bounds: readonly RetentionBound[]
  /** Null for the first slice. */
  readonly cursor: PruneCursor | null
}

/** How many jobs a slice deleted, and where the next one begins (null: the pass is over). */
export interface PruneAnswer {
  readonly type: 'pruned'
  readonly count: number
  readonly next: PruneCursor | null
}
