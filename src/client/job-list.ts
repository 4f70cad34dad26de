/** Lists of jobs as `runtime.jobs` gives them, page by page. */
import { optionInvalid } from '../errors.ts'
import { type JobFilter, jobCriteria } from '../job/job-filter.ts'
import type { JobOrder } from '../persistence/jobs-query.ts'
import type { JobsPageQuery, JobsPageRows } from '../supervisor/slices.ts'
import { decodeCursor, encodeCursor, pageLimit } from './cursor.ts'
import { type JobSnapshot, snapshotOf } from './job-snapshot.ts'

const limitDefault = 50
const limitMax = 1_000

/** How many numbers a place has, by order. */
const orders: Readonly<Record<JobOrder, number>> = { newest: 1, oldest: 1, ended: 2 }

/** Which jobs to list. */
export interface JobsOptions {
  /** Only jobs that match; default all. */
  readonly filter?: JobFilter
  /**
   * `'newest'` (default) and `'oldest'`: by enqueue; `'ended'`: only jobs that are over, the one that ended last first: for lists of
   * completed jobs and of dead letters.
   */
  readonly order?: JobOrder
  /** The cursor of the page before, of the same filter and order. */
  readonly cursor?: string
  /** How many jobs at most, up to 1,000; default 50. */
  readonly limit?: number
  /** Whether inputs and results are read too (they are `undefined` without); then a page ends after 16 MiB of them. Default false. */
  readonly payloads?: boolean
}

/** Some jobs. */
export interface JobsPage {
  readonly jobs: readonly JobSnapshot[]
  /** For the next page; null at the end. A page that has looked at 100,000 jobs is given as it is, if need be short or empty. */
  readonly cursor: string | null
}

/**
 * Checks the options.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`.
 */
export function jobsQuery({ filter = {}, order = 'newest', cursor, limit, payloads = false }: JobsOptions): JobsPageQuery {
  if (!Object.hasOwn(orders, order)) throw optionInvalid('order', order, Object.keys(orders).join(', '))
  if (typeof payloads !== 'boolean') throw optionInvalid('payloads', payloads, 'true or false')
  return {
    ...{ criteria: jobCriteria(filter), order, payloads },
    after: cursor === undefined ? null : decodeCursor(`jobs-${order}`, cursor, orders[order], 'cursor'),
    limit: pageLimit(limit, limitDefault, limitMax),
  }
}

/** Makes the page of what was found. */
export function jobsPageOf({ rows, place }: JobsPageRows, { order = 'newest' }: JobsOptions): JobsPage {
  return { jobs: rows.map(snapshotOf), cursor: place === null ? null : encodeCursor(`jobs-${order}`, place) }
}
