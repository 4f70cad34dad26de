/**
 * Lists jobs, a slice at a time. A slice looks at a bounded number of rows, whatever the filter: first it finds candidates by the
 * narrowest index that the filter allows (else by the table's own order), then it reads those that match.
 */
import type { Database } from 'better-sqlite3'
import type { JobCriteria } from '../../../job/job-filter.ts'
import type { JobState } from '../../../job/state.ts'
import type { JobRow } from '../../job-row.ts'
import type { JobOrder, JobsQuery, JobsSlice } from '../../jobs-query.ts'
import { filterSql } from '../filter-sql.ts'
import { inputColumn, type JobColumns, toJobRow } from '../job-columns.ts'

/** Inputs and results of one slice together; more would be held in memory at once. */
const payloadBytesMax = 16 * 1024 * 1024

/** States whose jobs an index lists in the order of their enqueue. Each must stand in the statement word for word. */
const listedStates: readonly JobState[] = ['running', 'suspended', 'parked', 'cancelled', 'discarded']
const overStates: readonly JobState[] = ['completed', 'cancelled', 'discarded']

/** Where a job stands: by its insertion, or (`ended`) by when it was over. */
type Candidate = readonly [seq: number, settledAt: number]

/** Prepares the listing for a connection. */
export function prepareListing(db: Database): (query: JobsQuery) => JobsSlice {
  const bare = columnsWithoutPayloads(db)
  return ({ criteria, order, after, limit, lookMax, payloads }) => {
    const { where, parameters } = filterSql(criteria)
    const look = where === 'TRUE' ? limit : lookMax
    const candidates = db
      .prepare<unknown[], Candidate>(candidatesSql(criteria, order))
      .raw()
      .all({ ...parameters, ...bindings(criteria), ...placeOf(order, after), look })
    const rows = db.prepare<unknown[], JobColumns>(rowsSql(where, order, payloads ? `*, ${inputColumn}` : bare))
    const seqs = JSON.stringify(candidates.map(([seq]) => seq))
    const { found, last, isCut } = read(rows.iterate({ ...parameters, seqs, limit }))
    const isFull = found.length >= limit || isCut
    const end = isFull && last !== null ? ([last.seq, last.settled_at ?? 0] as const) : candidates.at(-1)
    const isLast = !isFull && candidates.length < look
    return { rows: found, looked: candidates.length, place: isLast || end === undefined ? null : place(order, end), isCut }
  }
}

/** Exported so that a test can hold the plans against the promise above. */
export function candidatesSql(criteria: JobCriteria, order: JobOrder): string {
  if (order === 'ended') {
    const states = overStates.filter((state) => criteria.states?.includes(state) ?? true)
    const behind = '(settled_at, seq) < (@settledAt, @seq)'
    return inOrder(
      'seq, settled_at',
      states.map((state) => `settled_at IS NOT NULL AND state = '${state}' AND ${behind}`),
      'settled_at DESC, seq DESC',
    )
  }
  const newest = order === 'newest'
  const behind = newest ? 'seq < @seq' : 'seq > @seq'
  return inOrder(
    'seq, 0 AS settled_at',
    narrowest(criteria).map((term) => `${term} AND ${behind}`),
    newest ? 'seq DESC' : 'seq',
  )
}

/** Each range by its own index, merged; a list of no state matches nothing. */
function inOrder(columns: string, ranges: readonly string[], order: string): string {
  const range = (where: string) =>
    `SELECT * FROM (SELECT ${columns} FROM reeve_jobs WHERE ${where} ORDER BY ${order} LIMIT @look)`
  const [first = range('FALSE AND @look > 0'), ...others] = ranges.map(range)
  return others.length === 0 ? first : `${[first, ...others].join(' UNION ALL ')} ORDER BY ${order} LIMIT @look`
}

/** The terms that find candidates: all jobs that match the filter are among theirs. */
function narrowest({ ids, correlationId, parent, groups, states }: JobCriteria): readonly string[] {
  if (ids !== undefined) return ['id IN (SELECT value FROM json_each(@ids))']
  if (correlationId !== undefined) return ['correlation_id = @correlationId']
  if (parent !== undefined) return ['parent = @parent']
  if (groups?.length === 1) return ['grp = @group']
  if (states?.every((state) => listedStates.includes(state))) return states.map((state) => `state = '${state}'`)
  return ['TRUE']
}

function bindings({ groups }: JobCriteria): { readonly group?: string } {
  const [group] = groups ?? []
  return group === undefined ? {} : { group }
}

function rowsSql(where: string, order: JobOrder, columns: string): string {
  const by = order === 'ended' ? 'settled_at DESC, seq DESC' : order === 'newest' ? 'seq DESC' : 'seq'
  const isOver = order === 'ended' ? 'settled_at IS NOT NULL AND' : ''
  return `SELECT ${columns} FROM reeve_jobs
    WHERE seq IN (SELECT value FROM json_each(@seqs)) AND ${isOver} ${where} ORDER BY ${by} LIMIT @limit`
}

function placeOf(order: JobOrder, after: readonly number[] | null): { readonly seq: number; readonly settledAt?: number } {
  const [first, second] = after ?? []
  const behindAll = Number.MAX_SAFE_INTEGER
  if (order === 'ended') return { settledAt: first ?? behindAll, seq: second ?? behindAll }
  return { seq: first ?? (order === 'newest' ? behindAll : 0) }
}

function place(order: JobOrder, [seq, settledAt]: Candidate): readonly number[] {
  return order === 'ended' ? [settledAt, seq] : [seq]
}

/** Reads rows until their payloads are enough for one slice. */
function read(rows: IterableIterator<JobColumns>): { found: JobRow[]; last: JobColumns | null; isCut: boolean } {
  const found: JobRow[] = []
  let last: JobColumns | null = null
  let bytes = 0
  for (const row of rows) {
    found.push(toJobRow(row))
    last = row
    bytes += (row.input?.length ?? 0) + (row.result?.length ?? 0)
    if (bytes > payloadBytesMax) return { found, last, isCut: true }
  }
  return { found, last, isCut: false }
}

/** `*` would read the pages of every large result. */
function columnsWithoutPayloads(db: Database): string {
  const names = db.prepare<[], string>("SELECT name FROM pragma_table_info('reeve_jobs')").pluck().all()
  const others = names.filter((name) => name !== 'input' && name !== 'result')
  return [...others, 'NULL AS input', 'NULL AS result'].join(', ')
}
