/** A filter of jobs as SQL. Every value is a parameter; a field that is not given leaves no term, so that indexes stay usable. */
import type { JobCriteria } from '../../job/job-filter.ts'

/** A condition on a row of `reeve_jobs` (columns by their plain names), and the values of its named parameters. */
export interface FilterSql {
  /** Never empty: a filter that asks for nothing is `TRUE`. */
  readonly where: string
  readonly parameters: Readonly<Record<string, string | number>>
}

/** Lists are one JSON parameter each, so that the text of a statement, and with it its plan, does not depend on their length. */
const inList = (column: string, name: keyof JobCriteria) => `${column} IN (SELECT value FROM json_each(@${name}))`

const terms: Readonly<Record<keyof JobCriteria, string>> = {
  ids: inList('id', 'ids'),
  kinds: inList('kind', 'kinds'),
  queues: inList('queue', 'queues'),
  groups: inList('grp', 'groups'),
  states: inList('state', 'states'),
  correlationId: 'correlation_id = @correlationId',
  parent: 'parent = @parent',
  createdBefore: 'created_at < @createdBefore',
  createdAfter: 'created_at >= @createdAfter',
  settledBefore: 'settled_at IS NOT NULL AND settled_at < @settledBefore',
  settledAfter: 'settled_at IS NOT NULL AND settled_at >= @settledAfter',
  runAtBefore: 'run_at < @runAtBefore',
  runAtAfter: 'run_at >= @runAtAfter',
  errorCode: "error ->> 'code' = @errorCode",
}

/** The condition that a row meets exactly where the filter means its job. */
export function filterSql(criteria: JobCriteria): FilterSql {
  const given = (Object.keys(terms) as (keyof JobCriteria)[]).filter((field) => criteria[field] !== undefined)
  const values = given.map((field) => {
    const value = criteria[field] as string | number | readonly string[]
    return [field, typeof value === 'object' ? JSON.stringify(value) : value] as const
  })
  return {
    where: given.length === 0 ? 'TRUE' : given.map((field) => terms[field]).join(' AND '),
    parameters: Object.fromEntries(values),
  }
}
