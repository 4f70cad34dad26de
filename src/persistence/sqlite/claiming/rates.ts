/**
 * Rates: a ring of the times at which the latest jobs were claimed. The next one may be when the oldest is a window old, which
 * is exact for any window at one row read and one written a claim. A claim that is given back does not give its time back:
 * a rate is kept, never exceeded.
 */
import type { Database } from 'better-sqlite3'
import type { Ring } from '../../../job/limits.ts'

/** Whose rate: of a kind or a queue, or of one group of it; `queue` and `grp` are empty for the whole. */
export interface RateKey {
  readonly scope: 'kind' | 'queue'
  readonly name: string
  readonly queue: string
  readonly grp: string
}

/** The rates of a connection. Both belong into a write transaction: a ring of another size is laid out anew. */
export interface Rates {
  /** When the next job may be claimed; a time that has come where it may at once. */
  opensAt(key: RateKey, ring: Ring): number
  hit(key: RateKey, ring: Ring, now: number): void
}

interface RateRow {
  readonly id: number
  readonly slots: number
  readonly hits: number
}

/** A group's ring that tells nothing any more goes when another group comes, two at a time, a while later: the clock may go back. */
const sweptPerNew = 2
const sweptAfterMs = 60_000

/** The statements, for a test of their plans. */
export const rateSql = {
  find: 'SELECT id, slots, hits FROM reeve_rates WHERE scope = @scope AND name = @name AND queue = @queue AND grp = @grp',
  at: 'SELECT at FROM reeve_rate_hits WHERE rate = ? AND slot = ?',
  sweep: `DELETE FROM reeve_rates WHERE id IN
    (SELECT id FROM reeve_rates INDEXED BY reeve_rates_fresh WHERE fresh_at <= ? ORDER BY fresh_at LIMIT ${sweptPerNew})`,
  create: 'INSERT INTO reeve_rates (scope, name, queue, grp, slots) VALUES (@scope, @name, @queue, @grp, @slots)',
  count: 'UPDATE reeve_rates SET hits = hits + 1, fresh_at = ? WHERE id = ?',
  write: 'INSERT INTO reeve_rate_hits (rate, slot, at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at',
} as const

/** Prepares the rates for a connection. */
export function prepareRates(db: Database): Rates {
  const find = db.prepare<RateKey, RateRow>(rateSql.find)
  const at = db.prepare<[number, number], number>(rateSql.at).pluck()
  const sweep = db.prepare(rateSql.sweep)
  const create = db.prepare(rateSql.create)
  const count = db.prepare(rateSql.count)
  const write = db.prepare(rateSql.write)
  const latest = db.prepare<[number], number>('SELECT at FROM reeve_rate_hits WHERE rate = ? ORDER BY at').pluck()
  const clear = db.prepare('DELETE FROM reeve_rate_hits WHERE rate = ?')
  const resize = db.prepare('UPDATE reeve_rates SET slots = ?, hits = ? WHERE id = ?')

  /** After a change of the limit: the latest hits that fit stay, oldest first. */
  const fitted = (row: RateRow, { slots }: Ring): RateRow => {
    if (row.slots === slots) return row
    const kept = latest.all(row.id).slice(-slots)
    clear.run(row.id)
    for (const [slot, time] of kept.entries()) write.run(row.id, slot, time)
    resize.run(slots, kept.length, row.id)
    return { id: row.id, slots, hits: kept.length }
  }
  return {
    opensAt(key, ring) {
      const found = find.get(key)
      if (found === undefined) return 0
      const { id, hits, slots } = fitted(found, ring)
      const oldest = at.get(id, hits % slots)
      return oldest === undefined ? 0 : oldest + ring.windowMs
    },
    hit(key, ring, now) {
      const found = find.get(key)
      if (found === undefined) sweep.run(now - sweptAfterMs)
      const row =
        found === undefined
          ? { id: Number(create.run({ ...key, slots: ring.slots }).lastInsertRowid), slots: ring.slots, hits: 0 }
          : fitted(found, ring)
      write.run(row.id, row.hits % row.slots, now)
      count.run(now + ring.windowMs, row.id)
    },
  }
}
