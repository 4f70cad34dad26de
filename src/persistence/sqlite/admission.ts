/** What is known while the jobs of one command are admitted, one after the other. */
import type { JobId } from '../../job/lease.ts'
import type { MovedJob } from '../commands/moved-job.ts'

/** What the jobs of one command share while they are admitted. */
export class Admission {
  readonly now: number
  readonly repeated: boolean
  /** Whose children they are; null for nobody's. */
  readonly family: Family | null
  readonly moved: MovedJob[] = []
  /** The row that stands for each job that came before. */
  readonly rows: number[] = []
  /** How many rows it added. */
  inserted = 0
  /** Which job stands for one that was given, where it is another. */
  readonly standIns = new Map<JobId, JobId>()

  constructor(now: number, repeated: boolean, family: Family | null = null) {
    this.now = now
    this.repeated = repeated
    this.family = family
  }
}

/** What children have from the job that enqueued them. */
export interface Family {
  readonly parent: JobId
  readonly root: JobId
  readonly correlationId: string | null
}
