/** The record of ticks that were not run, bounded. */
import type { Database } from 'better-sqlite3'
import type { Skip } from '../../job/schedule/tick.ts'

/** So many stretches of skipped ticks are kept of a schedule. */
const skipsMax = 100

/** Writes the record. */
export interface ScheduleSkips {
  write(name: string, skip: Skip): void
  /** The tick of a job, which was made for it and not run; nothing where it was made for none, or its schedule is gone. */
  ofJob(seq: number): void
}

/** Prepares the record for a connection. */
export function prepareScheduleSkips(db: Database): ScheduleSkips {
  const write = db.prepare(`
    INSERT INTO reeve_schedule_skips (schedule, from_at, to_at, ticks, reason) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (schedule, from_at) DO NOTHING
  `)
  const cut = db.prepare(`
    DELETE FROM reeve_schedule_skips WHERE schedule = @name AND from_at <= (
      SELECT from_at FROM reeve_schedule_skips WHERE schedule = @name ORDER BY from_at DESC LIMIT 1 OFFSET ${skipsMax}
    )
  `)
  const tickOf = db.prepare<[number], { name: string; at: number }>(`
    SELECT schedule AS name, scheduled_at AS at FROM reeve_jobs
    WHERE seq = ? AND scheduled_at IS NOT NULL AND schedule IN (SELECT name FROM reeve_schedules)
  `)
  const record = (name: string, { from, to, count, reason }: Skip) => {
    write.run(name, from, to, count, reason)
    cut.run({ name })
  }
  return {
    write: record,
    ofJob(seq) {
      const tick = tickOf.get(seq)
      if (tick !== undefined) record(tick.name, { from: tick.at, to: tick.at, count: 1, reason: 'should-skip' })
    },
  }
}
