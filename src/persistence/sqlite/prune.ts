/**
 * Prune: deletes what is over, a slice at a time along the index of jobs that are over. What belongs to a job (its history, logs,
 * steps, a large input) goes with it, by its foreign keys. Two guards stand in the delete itself (invariant `prune-is-safe`).
 */
import type { Database } from 'better-sqlite3'
import { type RetentionBound, ruleOf } from '../../job/retention.ts'
import type { TerminalState } from '../../job/state.ts'
import type { PruneAnswer, PruneCommand, PruneCursor } from '../commands/prune.ts'
import { prepareOnce } from './operations.ts'

/** How many jobs a slice looks at: some ten milliseconds where all of them go. */
const sliceRows = 500

interface OverRow {
  readonly seq: number
  readonly kind: string
  readonly queue: string
  readonly settled_at: number
}

/** The statement of a slice, exported so that a test can hold its plan. */
export const sliceSql = `
  SELECT seq, kind, queue, settled_at FROM reeve_jobs INDEXED BY reeve_jobs_over
  WHERE state = @state AND settled_at IS NOT NULL AND (settled_at, seq) < (@settledAt, @seq)
  ORDER BY settled_at DESC, seq DESC LIMIT ${sliceRows}
`

/** Prepares the command for a connection. `repeated` says that an earlier run of it may have taken effect. */
export function preparePrune(db: Database): (command: PruneCommand, repeated: boolean) => PruneAnswer {
  const slice = db.prepare<{ state: TerminalState; settledAt: number; seq: number }, OverRow>(sliceSql)
  const remove = db.prepare<{ seq: number; now: number }>(`
    DELETE FROM reeve_jobs WHERE seq = @seq AND settled_at IS NOT NULL
      AND NOT (unique_holds = 1 AND unique_until IS NOT NULL AND unique_until > @now)
      AND NOT EXISTS (SELECT 1 FROM reeve_dependencies WHERE needs = @seq)
  `)

  const prune = ({ state, bounds, cursor, now }: PruneCommand): PruneAnswer => {
    const { settledAt, seq, seen } = cursor ?? firstCursor(state, bounds, now)
    const rows = slice.all({ state, settledAt, seq })
    const counts = [...seen]
    let count = 0
    for (const row of rows) {
      const rule = ruleOf({ state, kind: row.kind, queue: row.queue }, bounds)
      const bound = bounds[rule]
      if (bound === undefined) continue
      const rank = (counts[rule] ?? 0) + 1
      counts[rule] = rank
      const isOld = bound.maxAgeMs !== null && row.settled_at <= now - bound.maxAgeMs
      const isTooMany = bound.maxCount !== null && rank > bound.maxCount
      if (isOld || isTooMany) count += remove.run({ seq: row.seq, now }).changes
    }
    const last = rows.length < sliceRows ? undefined : rows.at(-1)
    return {
      type: 'pruned',
      count,
      next: last === undefined ? null : { settledAt: last.settled_at, seq: last.seq, seen: counts },
    }
  }
  return prepareOnce<PruneCommand, PruneAnswer>(db, prune, {
    answer: { type: 'pruned', count: 0, next: null },
    is: ({ count }) => count === 0,
  })
}

/** Where nothing but age counts, the pass begins with the first job that is old enough: those that are kept are not looked at. */
function firstCursor(state: TerminalState, bounds: readonly RetentionBound[], now: number): PruneCursor {
  const seen = bounds.map(() => 0)
  const here = bounds.filter(({ states }) => states === null || states.includes(state))
  const seq = Number.MAX_SAFE_INTEGER
  if (here.some(({ maxCount }) => maxCount !== null)) return { settledAt: seq, seq, seen }
  const ages = here.flatMap(({ maxAgeMs }) => (maxAgeMs === null ? [] : [maxAgeMs]))
  return { settledAt: ages.length === 0 ? Number.MIN_SAFE_INTEGER : Math.floor(now - Math.min(...ages)), seq, seen }
}
