/** How many jobs of each kind and queue are in which state: no index knows, so the table is read, a slice at a time. */
import type { Database } from 'better-sqlite3'
import type { KindCountsSlice, KindStateCount } from '../../jobs-query.ts'

/** Prepares the count for a connection: of the rows behind `after`, at most `lookMax` of them. */
export function prepareKindCounts(db: Database): (after: number, lookMax: number) => KindCountsSlice {
  const slice = db.prepare<{ after: number; lookMax: number }, { last: number | null; looked: number }>(
    'SELECT max(seq) AS last, count(*) AS looked FROM (SELECT seq FROM reeve_jobs WHERE seq > @after ORDER BY seq LIMIT @lookMax)',
  )
  const counts = db.prepare<{ after: number; last: number }, KindStateCount>(`
    SELECT kind, queue, state, count(*) AS jobs FROM reeve_jobs WHERE seq > @after AND seq <= @last GROUP BY kind, queue, state
  `)
  return (after, lookMax) => {
    const { last = null, looked = 0 } = slice.get({ after, lookMax }) ?? {}
    if (last === null) return { counts: [], place: null }
    return { counts: counts.all({ after, last }), place: looked < lookMax ? null : last }
  }
}
