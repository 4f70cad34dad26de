/** Enqueue: the command that inserts jobs, and its answer. */
import type { NewJob } from '../../job/new-job.ts'

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
