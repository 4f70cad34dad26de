/** How a schedule stands in its table, and how it is read back. */
import type { Database } from 'better-sqlite3'
import type { StoredPayload } from '../../job/payload.ts'
import type { ScheduleSpec, SkipReason } from '../../job/schedule/spec.ts'
import type { DueSchedules, ScheduleRow, SkipRow } from '../schedule-row.ts'

/** A row of `reeve_schedules` as SQLite returns it. Columns are explained in the migration. */
export interface ScheduleColumns {
  readonly name: string
  readonly kind: string
  readonly spec: string
  readonly input: StoredPayload
  readonly queue: string
  readonly priority: number
  readonly source: 'code' | 'api'
  readonly paused: 0 | 1
  readonly cursor: number
  readonly next_at: number | null
  readonly revision: number
  readonly decided_by: string | null
  readonly failures: number
  readonly skip_width: number
  readonly skip_left: number
  readonly created_at: number
  readonly updated_at: number
}

/** What can be asked of schedules without changing them. */
export interface ScheduleQueries {
  schedules(): ScheduleRow[]
  schedule(name: string): ScheduleRow | null
  skips(name: string): SkipRow[]
  due(kinds: readonly string[], now: number): DueSchedules
}

interface SkipColumns {
  readonly from_at: number
  readonly to_at: number
  readonly ticks: number | null
  readonly reason: SkipReason
}

/** Prepares the queries for a connection. */
export function prepareScheduleQueries(db: Database): ScheduleQueries {
  const all = db.prepare<[], ScheduleColumns>('SELECT * FROM reeve_schedules ORDER BY name')
  const one = db.prepare<[string], ScheduleColumns>('SELECT * FROM reeve_schedules WHERE name = ?')
  const skips = db.prepare<[string], SkipColumns>(
    'SELECT from_at, to_at, ticks, reason FROM reeve_schedule_skips WHERE schedule = ? ORDER BY from_at DESC',
  )
  const pending = 'next_at IS NOT NULL AND paused = 0 AND kind IN (SELECT value FROM json_each(@kinds))'
  const due = db.prepare<{ kinds: string; now: number }, ScheduleColumns>(
    `SELECT * FROM reeve_schedules WHERE ${pending} AND next_at <= @now ORDER BY next_at, name`,
  )
  const next = db
    .prepare<{ kinds: string; now: number }, number>(
      `SELECT next_at FROM reeve_schedules WHERE ${pending} AND next_at > @now ORDER BY next_at LIMIT 1`,
    )
    .pluck()
  return {
    schedules: () => all.all().map(toScheduleRow),
    schedule(name) {
      const row = one.get(name)
      return row === undefined ? null : toScheduleRow(row)
    },
    skips: (name) => skips.all(name).map((row) => ({ from: row.from_at, to: row.to_at, count: row.ticks, reason: row.reason })),
    due(kinds, now) {
      const asked = { kinds: JSON.stringify(kinds), now }
      return { due: due.all(asked).map(toScheduleRow), nextAt: next.get(asked) ?? null }
    },
  }
}

function toScheduleRow(row: ScheduleColumns): ScheduleRow {
  return {
    name: row.name,
    kind: row.kind,
    spec: JSON.parse(row.spec) as ScheduleSpec,
    input: row.input,
    queue: row.queue,
    priority: row.priority,
    source: row.source,
    paused: row.paused === 1,
    cursor: row.cursor,
    revision: row.revision,
    failures: row.failures,
    skipWidth: row.skip_width,
    skipLeft: row.skip_left,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
