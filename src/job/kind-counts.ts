/** How many jobs of a kind there are. Types only. */
import type { JobState } from './state.ts'

/** How many jobs of one kind, in one queue, are in each state. */
export interface KindCounts<Kind extends string = string> {
  readonly kind: Kind
  readonly queue: string
  readonly counts: Readonly<Record<JobState, number>>
}
