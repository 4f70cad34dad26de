/** Schedules at run time: what the client asks and changes. */
import { ReeveError } from '../../errors.ts'
import type { JobId } from '../../job/lease.ts'
import type { NewSchedule } from '../../job/schedule/options.ts'
import type { SteerScheduleCommand } from '../../persistence/commands/schedules.ts'
import type { ScheduleRow, SkipRow } from '../../persistence/schedule-row.ts'
import type { Services } from '../services.ts'
import { answer, type CallAnswer } from './answer.ts'

/** Calls that are about schedules. */
export interface ScheduleCalls {
  schedules(): Promise<CallAnswer<readonly ScheduleRow[]>>
  schedule(name: string): Promise<CallAnswer<ScheduleRow | null>>
  scheduleSkips(name: string): Promise<CallAnswer<readonly SkipRow[]>>
  upsertSchedule(schedule: NewSchedule): Promise<CallAnswer<null>>
  steerSchedule(name: string, act: SteerScheduleCommand['act']): Promise<CallAnswer<null>>
  /** Answers the kind of the job that it made. */
  triggerSchedule(name: string, jobId: JobId): Promise<CallAnswer<string>>
}

/** Makes the calls that are about schedules. */
export function scheduleCalls({ store, committer, clock, scheduler, dispatcher }: Services): ScheduleCalls {
  return {
    schedules: () => answer(() => store.schedules()),
    schedule: (name) => answer(() => store.schedule(name)),
    scheduleSkips: (name) => answer(() => store.scheduleSkips(name)),
    upsertSchedule: (schedule) =>
      answer(async () => {
        const declare = { type: 'declare-schedules', source: 'api', schedules: [schedule], kinds: [] } as const
        const { refused } = await committer.submit({ ...declare, now: clock.wall() })
        if (refused.length > 0) throw declaredByCode(schedule.name)
        scheduler.look()
        return null
      }),
    steerSchedule: (name, act) =>
      answer(async () => {
        const { outcome } = await committer.submit({ type: 'steer-schedule', now: clock.wall(), name, act })
        if (outcome === 'not-found') throw scheduleNotFound(name)
        if (outcome === 'declared-by-code') throw declaredByCode(name)
        scheduler.look()
        return null
      }),
    triggerSchedule: (name, jobId) =>
      answer(async () => {
        const { kind } = await committer.submit({ type: 'trigger-schedule', now: clock.wall(), name, jobId })
        if (kind === null) throw scheduleNotFound(name)
        dispatcher.wake()
        return kind
      }),
  }
}

function scheduleNotFound(name: string): ReeveError {
  return new ReeveError('REEVE_SCHEDULE_NOT_FOUND', `There is no schedule '${name}'.`)
}

function declaredByCode(name: string): ReeveError {
  return new ReeveError(
    'REEVE_SCHEDULE_DECLARED',
    `The schedule '${name}' is declared with its kind, in code: change it there, pause it, or give yours another name.`,
  )
}
