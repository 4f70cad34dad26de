/** Enqueue: the command that inserts jobs, and its answer. */
import type { JobId } from '../../job/lease.ts'
import type { NewJob } from '../../job/new-job.ts'
import type { MovedJob } from './moved-job.ts'

/**
 * Inserts jobs, all or none: as `ready`, or `suspended` where they wait for others. An id that is there already is left as it
 * is (a repeated command). Where a unique key is held its conflict decides, and another job may stand for the one that was given.
 */
export interface EnqueueCommand {
  readonly type: 'enqueue'
  readonly now: number
  readonly jobs: readonly NewJob[]
  /** How many jobs of each queue may be `ready` afterwards; absent queues have no bound. */
  readonly depthMax?: Readonly<Record<string, number>>
}

/** What an enqueue came to, for its caller: a job of its own, one that was there, one that was changed, or one that comes after it. */
export type EnqueueResult = 'new' | 'existing' | 'replaced' | 'follow-up'

/** What a job of the command came to where it was not simply inserted. */
export interface Placement {
  /** Its place in the command. */
  readonly index: number
  /** The job that stands for it. */
  readonly jobId: JobId
  readonly kind: string
  readonly result: EnqueueResult
}

/** Why nothing of a command was inserted. */
export type EnqueueRefusal =
  | { readonly reason: 'duplicate'; readonly kind: string; readonly key: string; readonly holder: JobId }
  | { readonly reason: 'dependency-missing'; readonly kind: string; readonly needed: JobId }
  | { readonly reason: 'full'; readonly queue: string; readonly depthMax: number; readonly adds: number }

/** All jobs of the command are there; or none of them is. */
export type EnqueueAnswer =
  | {
      readonly type: 'enqueued'
      /** Absent: each job was inserted. */
      readonly placed?: readonly Placement[]
      /** Other jobs that the command moved; absent: none. */
      readonly moved?: readonly MovedJob[]
    }
  | { readonly type: 'refused'; readonly refusal: EnqueueRefusal }
