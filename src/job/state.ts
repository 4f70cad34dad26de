/**
 * The states of a job and the only ways from one to another. Pure; the store's SQL follows this table,
 * and invariant `published-edges-only` holds every committed transition against it.
 */

/** Where a job is. `ready` is claimable once `runAt` has come; the last three are final. */
export type JobState = 'ready' | 'running' | 'suspended' | 'parked' | 'completed' | 'cancelled' | 'discarded'

/** A state that only an explicit retry leaves. */
export type TerminalState = 'completed' | 'cancelled' | 'discarded'

/** All states, in the order of a job's life. */
export const jobStates: readonly JobState[] = ['ready', 'running', 'suspended', 'parked', 'completed', 'cancelled', 'discarded']

/** The states that only an explicit retry leaves. */
export const terminalStates: readonly TerminalState[] = ['completed', 'cancelled', 'discarded']

/** What moved a job: the word stands in the history and in the docs. */
export type TransitionCause =
  | 'claim'
  | 'complete'
  | 'fail'
  | 'discard'
  | 'cancel'
  | 'snooze'
  | 'interrupted'
  | 'reclaim'
  | 'suspend'
  | 'wake'
  | 'retry'
  | 'park'
  | 'reopen'
  | 'turn'
  | 'skip'
  /** The last of the jobs that it waited for is over. */
  | 'release'
  /** One of them did not complete. */
  | 'dependency-failed'

/** One published edge: from a state, to a state, by a cause. */
export interface Transition {
  readonly from: JobState
  readonly to: JobState
  readonly by: TransitionCause
}

/** Every edge there is. An edge that is not in this list is a bug, whoever made it. */
export const transitions: readonly Transition[] = [
  { from: 'ready', to: 'running', by: 'claim' },
  { from: 'ready', to: 'cancelled', by: 'cancel' },
  { from: 'suspended', to: 'ready', by: 'turn' },
  { from: 'suspended', to: 'cancelled', by: 'cancel' },
  { from: 'running', to: 'completed', by: 'complete' },
  { from: 'running', to: 'ready', by: 'fail' },
  { from: 'running', to: 'discarded', by: 'fail' },
  { from: 'running', to: 'discarded', by: 'discard' },
  { from: 'running', to: 'cancelled', by: 'cancel' },
  { from: 'running', to: 'cancelled', by: 'skip' },
  { from: 'running', to: 'ready', by: 'snooze' },
  { from: 'running', to: 'ready', by: 'interrupted' },
  { from: 'running', to: 'ready', by: 'reclaim' },
  { from: 'running', to: 'discarded', by: 'reclaim' },
  { from: 'running', to: 'cancelled', by: 'reclaim' },
  { from: 'running', to: 'suspended', by: 'suspend' },
  { from: 'running', to: 'ready', by: 'suspend' },
  { from: 'suspended', to: 'ready', by: 'wake' },
  { from: 'suspended', to: 'ready', by: 'release' },
  { from: 'suspended', to: 'discarded', by: 'dependency-failed' },
  { from: 'suspended', to: 'cancelled', by: 'dependency-failed' },
  // By hand: `runtime.retry`, `park`, `reopen`, `discard`.
  { from: 'completed', to: 'ready', by: 'retry' },
  { from: 'cancelled', to: 'ready', by: 'retry' },
  { from: 'discarded', to: 'ready', by: 'retry' },
  { from: 'ready', to: 'parked', by: 'park' },
  { from: 'parked', to: 'ready', by: 'reopen' },
  { from: 'ready', to: 'discarded', by: 'discard' },
  { from: 'parked', to: 'discarded', by: 'discard' },
  { from: 'suspended', to: 'discarded', by: 'discard' },
  { from: 'parked', to: 'cancelled', by: 'cancel' },
]

/** Whether a job in this state is over for good (but for an explicit retry). */
export function isTerminal(state: JobState): state is TerminalState {
  return state === 'completed' || state === 'cancelled' || state === 'discarded'
}

/** Whether some published edge leads from one state to the other. */
export function isPublishedEdge(from: JobState, to: JobState): boolean {
  return transitions.some((edge) => edge.from === from && edge.to === to)
}

/** Whether a value is the name of a state. */
export function isJobState(value: unknown): value is JobState {
  return jobStates.some((state) => state === value)
}
