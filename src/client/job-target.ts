/** Which jobs an act by hand is meant for, as users write it. */
import { optionInvalid } from '../errors.ts'
import { type JobCriteria, type JobFilter, jobCriteria } from '../job/job-filter.ts'
import type { JobId } from '../job/lease.ts'
import type { JobState } from '../job/state.ts'

/** One job by its id, several by a list of ids, those that match a filter, or `'all'`. */
export type JobTarget = string | readonly string[] | JobFilter

/** A target that was checked. */
export interface CheckedTarget {
  readonly criteria: JobCriteria
  /** Where one job was named: then it is an error if nothing can be done to it. */
  readonly only: JobId | null
}

/**
 * Checks a target. `states` are those that a filter without states of its own, or `'all'`, is meant for.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`; a filter without any field is refused, because it reads like nothing and means all.
 */
export function checkedTarget(target: JobTarget, states: readonly JobState[]): CheckedTarget {
  if (target === 'all') return { criteria: { states }, only: null }
  if (typeof target === 'string' && target !== '') return { criteria: { ids: [target] }, only: target as JobId }
  if (Array.isArray(target)) return { criteria: jobCriteria({ ids: target }, 'target'), only: null }
  if (typeof target !== 'object' || target === null)
    throw optionInvalid('target', target, "the id of a job, a list of ids, a filter, or 'all'")
  const criteria = jobCriteria(target as JobFilter, 'target')
  if (Object.keys(criteria).length === 0)
    throw optionInvalid('target', target, "a filter with at least one field; write 'all' for all jobs")
  return {
    criteria: criteria.ids === undefined && criteria.states === undefined ? { ...criteria, states } : criteria,
    only: null,
  }
}
