/** The row of a job that a schedule makes. */
import type { Database } from 'better-sqlite3'
import type { TickToFire } from '../commands/schedules.ts'
import { inputInRowMax, payloadToColumn, timeToColumn } from './job-columns.ts'
import type { ScheduleColumns } from './schedule-columns.ts'

/** A tick to insert; without an instant where it was triggered by hand. */
export type TickToInsert = Omit<TickToFire, 'instant'> & { readonly instant: number | null }

/** Prepares the insert; it says whether there was none of this instant (or id) before. */
export function prepareScheduledJob(
  db: Database,
): (schedule: ScheduleColumns, tick: TickToInsert, now: number, inTurn: boolean) => boolean {
  const insert = db.prepare(`
    INSERT INTO reeve_jobs (id, kind, queue, state, priority, run_at, created_at, input, schedule, scheduled_at, next_tick_at, catch_up, in_turn)
    VALUES (@id, @kind, @queue, @state, @priority, @runAt, @now, @input, @schedule, @instant, @nextAt, @catchUp, @inTurn)
    ON CONFLICT DO NOTHING
  `)
  const insertInput = db.prepare('INSERT INTO reeve_inputs (job, input) VALUES (?, ?)')
  return (schedule, { jobId, runAt, instant, nextAt, isCatchUp }, now, inTurn) => {
    const input = payloadToColumn(schedule.input)
    const large = input !== null && input.length > inputInRowMax
    const { changes, lastInsertRowid } = insert.run({
      id: jobId,
      kind: schedule.kind,
      queue: schedule.queue,
      priority: schedule.priority,
      state: inTurn ? 'suspended' : 'ready',
      runAt: timeToColumn(runAt),
      now,
      input: large ? null : input,
      schedule: schedule.name,
      instant,
      nextAt,
      catchUp: isCatchUp ? 1 : 0,
      inTurn: inTurn ? 1 : 0,
    })
    if (large && changes === 1) insertInput.run(lastInsertRowid, input)
    return changes === 1
  }
}
