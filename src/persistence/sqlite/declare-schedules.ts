/** Declaring and steering schedules: the row changes, and the decisions that were made on the old one become stale. */
import type { Database } from 'better-sqlite3'
import type { NewSchedule } from '../../job/schedule/options.ts'
import type { ScheduleSpec } from '../../job/schedule/spec.ts'
import type {
  DeclareSchedulesAnswer,
  DeclareSchedulesCommand,
  SteerScheduleAnswer,
  SteerScheduleCommand,
} from '../commands/schedules.ts'
import { payloadToColumn } from './job-columns.ts'
import type { ScheduleColumns } from './schedule-columns.ts'

/** Prepares the command for a connection. A schedule that is declared as it stands already is not written. */
export function prepareDeclareSchedules(db: Database): (command: DeclareSchedulesCommand) => DeclareSchedulesAnswer {
  const read = db.prepare<[string], ScheduleColumns>('SELECT * FROM reeve_schedules WHERE name = ?')
  const write = db.prepare(`
    INSERT INTO reeve_schedules (name, kind, spec, input, queue, priority, source, cursor, next_at, created_at, updated_at)
    VALUES (@name, @kind, @spec, @input, @queue, @priority, @source, @now, @now, @now, @now)
    ON CONFLICT (name) DO UPDATE SET kind = @kind, spec = @spec, input = @input, queue = @queue, priority = @priority,
      source = @source, updated_at = @now, revision = revision + 1
  `)
  const restart = db.prepare(
    'UPDATE reeve_schedules SET cursor = max(cursor, @now), next_at = max(cursor, @now) WHERE name = @name',
  )
  const closeBreaker = db.prepare('UPDATE reeve_schedules SET failures = 0, skip_width = 0, skip_left = 0 WHERE name = ?')
  const forget = db.prepare<{ kinds: string; names: string }>(`
    DELETE FROM reeve_schedules WHERE source = 'code'
      AND kind IN (SELECT value FROM json_each(@kinds)) AND name NOT IN (SELECT value FROM json_each(@names))
  `)

  const declare = (schedule: NewSchedule, { now, source }: DeclareSchedulesCommand): 'declared' | 'refused' => {
    const before = read.get(schedule.name)
    if (before?.source === 'code' && source === 'api') return 'refused'
    const spec = JSON.stringify(schedule.spec)
    if (before !== undefined && before.source === source && isSame(before, schedule, spec)) return 'declared'
    const { name, kind, queue, priority } = schedule
    write.run({ name, kind, spec, input: payloadToColumn(schedule.input), queue, priority, source, now })
    if (before === undefined) return 'declared'
    const was = JSON.parse(before.spec) as ScheduleSpec
    if (timingOf(was) !== timingOf(schedule.spec)) restart.run({ name, now })
    if (JSON.stringify(was.breaker) !== JSON.stringify(schedule.spec.breaker)) closeBreaker.run(name)
    return 'declared'
  }
  return (command) => {
    const refused = command.schedules.filter((schedule) => declare(schedule, command) === 'refused').map(({ name }) => name)
    if (command.source === 'code') {
      const names = command.schedules.map(({ name }) => name)
      forget.run({ kinds: JSON.stringify(command.kinds), names: JSON.stringify(names) })
    }
    return { type: 'schedules-declared', refused }
  }
}

function isSame(row: ScheduleColumns, { kind, queue, priority, input }: NewSchedule, spec: string): boolean {
  const isSameInput = typeof input === 'string' || input === null ? row.input === input : equalBytes(row.input, input)
  return row.kind === kind && row.queue === queue && row.priority === priority && row.spec === spec && isSameInput
}

function equalBytes(stored: ScheduleColumns['input'], bytes: Uint8Array): boolean {
  return stored instanceof Uint8Array && Buffer.compare(stored, bytes) === 0
}

/** A schedule that fires at other times has missed none of them before they were declared. */
function timingOf({ cron, timeZone, everyMs, startAt, until }: ScheduleSpec): string {
  return JSON.stringify([cron, timeZone, everyMs, startAt, until])
}

/** Prepares the command for a connection. */
export function prepareSteerSchedule(db: Database): (command: SteerScheduleCommand) => SteerScheduleAnswer {
  const source = db.prepare<[string], 'code' | 'api'>('SELECT source FROM reeve_schedules WHERE name = ?').pluck()
  const pause = db.prepare(`
    UPDATE reeve_schedules SET paused = 1, revision = revision + 1, updated_at = @now WHERE name = @name AND paused = 0
  `)
  const resume = db.prepare(`
    UPDATE reeve_schedules SET paused = 0, revision = revision + 1, updated_at = @now,
      cursor = max(cursor, @now), next_at = max(cursor, @now)
    WHERE name = @name AND paused = 1
  `)
  const remove = db.prepare('DELETE FROM reeve_schedules WHERE name = ?')
  return ({ act, name, now }) => {
    const found = source.get(name)
    if (act === 'remove') {
      if (found === 'code') return { type: 'schedule-steered', outcome: 'declared-by-code' }
      remove.run(name)
      return { type: 'schedule-steered', outcome: 'done' }
    }
    if (found === undefined) return { type: 'schedule-steered', outcome: 'not-found' }
    if (act === 'pause') pause.run({ name, now })
    else resume.run({ name, now })
    return { type: 'schedule-steered', outcome: 'done' }
  }
}
