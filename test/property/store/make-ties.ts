/** Makes the ties of a job from their shape. */
import type { JobId } from '../../../src/job/lease.ts'
import type { NewJob } from '../../../src/job/new-job.ts'
import { uniqueKey } from '../../../src/job/unique-key.ts'
import type { TieShape } from './program-ties.ts'

/** The id of the job of a number. */
export function idOf(number: number): JobId {
  return `job-${number}` as JobId
}

/** A job may wait for those before it; now and then for one that is not there. */
export function tiesOf(
  { unique, after, correlationId }: TieShape,
  job: { readonly kind: string; readonly queue: string; readonly now: number; readonly number: number },
): Partial<NewJob> {
  return {
    ...(unique !== null && {
      unique: {
        key: uniqueKey(unique.scope, job[unique.scope], unique.key),
        conflict: unique.conflict,
        hold: unique.conflict === 'reuse-completed' ? 'completed' : unique.windowMs === null ? 'live' : 'window',
        until: unique.windowMs === null ? null : job.now + unique.windowMs,
        maxWaitMs: unique.conflict === 'debounce' ? unique.maxWaitMs : null,
      },
    }),
    ...(after !== null && { after: { jobs: neededOf(after.jobs, job.number), ifFailed: after.ifFailed } }),
    ...(correlationId !== null && { correlationId }),
  }
}

function neededOf(jobs: readonly number[] | 'batch', number: number): readonly JobId[] | 'batch' {
  if (jobs === 'batch') return jobs
  return [...new Set(jobs.map((index) => (index === 60 ? idOf(999_999) : idOf(Math.max(1, index % Math.max(number, 2))))))]
}
