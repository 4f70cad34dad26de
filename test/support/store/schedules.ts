/** Schedules and their commands, with the parts that a test does not care about filled in. */
import { type NewSchedule, newScheduleOf, type ScheduleOptions } from '../../../src/job/schedule/options.ts'
import { dueTicks } from '../../../src/job/schedule/tick.ts'
import type {
  FireScheduleAnswer,
  FireScheduleCommand,
  SteerScheduleCommand,
} from '../../../src/persistence/commands/schedules.ts'
import type { Store } from '../../../src/persistence/store.ts'
import { ask, jobId } from './commands.ts'

/** When the tests of schedules begin: a full minute. */
export const minuteMs = 60_000
export const dawn = 1_000 * minuteMs

export function newSchedule(name: string, options: ScheduleOptions = {}, kind = 'report'): NewSchedule {
  return newScheduleOf({ name, kind }, options.every === undefined ? { cron: '* * * * *', ...options } : options, name)
}

export async function declare(
  store: Store,
  schedules: readonly NewSchedule[],
  given: { now?: number; source?: 'code' | 'api'; kinds?: string[] } = {},
) {
  const { now = dawn, source = 'api', kinds = [] } = given
  return ask(store, { type: 'declare-schedules', now, source, schedules, kinds })
}

export function steer(store: Store, act: SteerScheduleCommand['act'], name: string, now = dawn) {
  return ask(store, { type: 'steer-schedule', now, name, act })
}

let decisions = 0

/** The decision that a scheduler would make at `now`. */
export async function decisionOf(store: Store, name: string, now: number): Promise<FireScheduleCommand> {
  const row = await store.schedule(name)
  if (row === null) throw new Error(`no schedule '${name}'`)
  const { run, skipped, cursor, nextAt } = dueTicks(row.spec, row.cursor, now)
  const decision = `decision-${++decisions}`
  const ticks = run.map((tick) => ({ ...tick, jobId: jobId(`${decision}-${tick.instant}`), runAt: tick.instant }))
  const { revision } = row
  return {
    type: 'fire-schedule',
    now,
    decision,
    name,
    revision,
    cursor: row.cursor,
    run: ticks,
    skipped,
    newCursor: cursor,
    nextAt,
  }
}

/** Decides and commits. */
export async function fire(store: Store, name: string, now: number): Promise<FireScheduleAnswer> {
  return ask(store, await decisionOf(store, name, now))
}

/** The ids of the jobs that were made; fails where the decision was stale. */
export async function fired(store: Store, name: string, now: number): Promise<readonly string[]> {
  const answer = await fire(store, name, now)
  if (answer.type === 'schedule-stale') throw new Error('stale')
  return answer.jobs
}
