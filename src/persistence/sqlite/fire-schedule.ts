/**
 * Firing: the job of a tick is inserted and the cursor moves over it, in one transaction, as a compare-and-set on the cursor. So
 * each instant fires once, whatever the number of processes (invariants `fires-once`, `cursor-grows`); the unique index on
 * (schedule, instant) says it a second time, for a schedule that was removed and declared again.
 */
import type { Database } from 'better-sqlite3'
import type { JobId, LeaseToken, OwnerId } from '../../job/lease.ts'
import type { ScheduleSpec, SkipReason } from '../../job/schedule/spec.ts'
import type {
  CancelledJob,
  FireScheduleAnswer,
  FireScheduleCommand,
  TickToFire,
  TriggerScheduleAnswer,
  TriggerScheduleCommand,
} from '../commands/schedules.ts'
import { prepareCancel } from './cancel.ts'
import { prepareExclusive } from './claiming/exclusive.ts'
import type { JobColumns } from './job-columns.ts'
import type { ScheduleColumns } from './schedule-columns.ts'
import { prepareScheduleSkips } from './schedule-skips.ts'
import { prepareScheduledJob } from './scheduled-job.ts'

/** A job of the schedule that is not over. */
type LiveRow = Pick<JobColumns, 'id' | 'kind' | 'queue' | 'state' | 'attempt' | 'token' | 'owner' | 'cancel_requested'> & {
  readonly in_turn: 0 | 1
}

type Fired = Extract<FireScheduleAnswer, { type: 'schedule-fired' }>
type Writable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] }

/** Prepares the command for a connection. */
export function prepareFireSchedule(db: Database): (command: FireScheduleCommand) => FireScheduleAnswer {
  const read = db.prepare<[string], ScheduleColumns>('SELECT * FROM reeve_schedules WHERE name = ?')
  const advance = db.prepare(`
    UPDATE reeve_schedules SET cursor = @newCursor, next_at = @nextAt, decided_by = @decision, skip_left = @skipLeft WHERE name = @name
  `)
  const live = db.prepare<[string], LiveRow>(`
    SELECT id, kind, queue, state, attempt, token, owner, cancel_requested, in_turn
    FROM reeve_jobs WHERE schedule = ? AND settled_at IS NULL ORDER BY seq
  `)
  const insert = prepareScheduledJob(db)
  const cancel = prepareCancel(db)
  const skips = prepareScheduleSkips(db)
  const again = prepareAnswerAgain(db)
  const isLockedOut = prepareIsLockedOut(db)

  /** Cancels what there is. One that is given its turn by the end of another is cancelled next. */
  const cancelAll = (jobs: readonly LiveRow[], now: number, answer: Writable<Fired>): void => {
    for (const job of jobs) {
      const verdict = cancel({ type: 'cancel', now, jobId: job.id }, false)
      if (verdict.type === 'cancelled') answer.cancelled.push(cancelledJob(job))
      if (verdict.type === 'cancel-requested') answer.stopping.push({ jobId: job.id, token: verdict.token, owner: verdict.owner })
    }
  }

  return (command) => {
    const row = read.get(command.name)
    if (row?.decided_by === command.decision) return again(command, row)
    if (row === undefined || row.paused === 1 || row.revision !== command.revision || row.cursor !== command.cursor)
      return { type: 'schedule-stale' }
    const { overlap } = JSON.parse(row.spec) as ScheduleSpec
    const answer: Writable<Fired> = { type: 'schedule-fired', jobs: [], skipped: [], cancelled: [], stopping: [] }
    let skipLeft = row.skip_left
    const lockedOut = (tick: TickToFire) =>
      overlap === 'skip' && !tick.isCatchUp && isLockedOut(row.kind, command.now) ? 'exclusive' : null
    for (const tick of command.run) {
      const jobs = live.all(command.name)
      const reason =
        skipLeft > 0 || (row.skip_width > 0 && jobs.length > 0) ? 'breaker' : (overlapOf(overlap, tick, jobs) ?? lockedOut(tick))
      if (reason !== null) {
        if (reason === 'breaker') skipLeft = Math.max(skipLeft - 1, 0)
        answer.skipped.push({ instant: tick.instant, reason })
        skips.write(command.name, { from: tick.instant, to: tick.instant, count: 1, reason })
        continue
      }
      if (overlap === 'cancel-running' && !tick.isCatchUp) cancelAll(jobs, command.now, answer)
      const inTurn = overlap !== 'allow' && live.all(command.name).length > 0
      if (insert(row, tick, command.now, inTurn)) answer.jobs.push(tick.jobId)
    }
    if (command.skipped !== null) skips.write(command.name, command.skipped)
    const { name, newCursor, nextAt, decision } = command
    advance.run({ name, newCursor, nextAt, decision, skipLeft })
    return answer
  }
}

/** Whether another holds a lock that a job of the kind must have: it would wait for it past its tick. */
function prepareIsLockedOut(db: Database): (kind: string, now: number) => boolean {
  const exclusive = db
    .prepare<[string], string | null>("SELECT exclusive FROM reeve_limits WHERE scope = 'kind' AND name = ?")
    .pluck()
  const { freeAt } = prepareExclusive(db)
  return (kind, now) => {
    const names = exclusive.get(kind)
    return names != null && freeAt(JSON.parse(names) as string[], now) > now
  }
}

/** Whether a tick is skipped for the jobs before it. A catch-up is not: it was promised, and waits its turn. */
function overlapOf(overlap: ScheduleSpec['overlap'], tick: TickToFire, jobs: readonly LiveRow[]): SkipReason | null {
  if (tick.isCatchUp || jobs.length === 0) return null
  if (overlap === 'skip') return 'overlap'
  return overlap === 'queue' && jobs.some(({ in_turn }) => in_turn === 1) ? 'overlap' : null
}

function cancelledJob({ id, kind, queue, attempt, token }: LiveRow): CancelledJob {
  return { jobId: id, kind, queue, attempt, token }
}

/** What the first run of this decision did, as far as the rows still say so. */
function prepareAnswerAgain(db: Database): (command: FireScheduleCommand, row: ScheduleColumns) => Fired {
  const isThere = db.prepare<[string]>('SELECT 1 FROM reeve_jobs WHERE id = ?')
  const reasonOf = db
    .prepare<[string, number], SkipReason>('SELECT reason FROM reeve_schedule_skips WHERE schedule = ? AND from_at = ?')
    .pluck()
  const cancelled = db.prepare<[string, number], { id: JobId; kind: string; queue: string; attempt: number; token: LeaseToken }>(`
    SELECT id, kind, queue, attempt, token FROM reeve_jobs
    WHERE schedule = ? AND state = 'cancelled' AND settled_at = ? AND owner IS NULL AND cancel_requested = 0 ORDER BY seq
  `)
  const stopping = db.prepare<[string], { id: JobId; token: LeaseToken; owner: OwnerId }>(`
    SELECT id, token, owner FROM reeve_jobs
    WHERE schedule = ? AND settled_at IS NULL AND state = 'running' AND cancel_requested = 1 ORDER BY seq
  `)
  return ({ name, run, now }, { spec }) => {
    const fired = run.filter(({ jobId }) => isThere.get(jobId) !== undefined)
    const { overlap } = JSON.parse(spec) as ScheduleSpec
    const tookPlace = overlap === 'cancel-running' && fired.some(({ isCatchUp }) => !isCatchUp)
    return {
      type: 'schedule-fired',
      jobs: fired.map(({ jobId }) => jobId),
      skipped: run.flatMap(({ instant }) => {
        const reason = reasonOf.get(name, instant)
        return reason === undefined ? [] : [{ instant, reason }]
      }),
      cancelled: tookPlace ? cancelled.all(name, now).map(({ id: jobId, ...rest }) => ({ jobId, ...rest })) : [],
      stopping: tookPlace ? stopping.all(name).map(({ id: jobId, token, owner }) => ({ jobId, token, owner })) : [],
    }
  }
}

/** Prepares the command for a connection. */
export function prepareTriggerSchedule(db: Database): (command: TriggerScheduleCommand) => TriggerScheduleAnswer {
  const read = db.prepare<[string], ScheduleColumns>('SELECT * FROM reeve_schedules WHERE name = ?')
  const insert = prepareScheduledJob(db)
  return ({ name, jobId, now }) => {
    const row = read.get(name)
    if (row === undefined) return { type: 'schedule-triggered', kind: null }
    insert(row, { instant: null, nextAt: row.next_at, isCatchUp: false, jobId, runAt: now }, now, false)
    return { type: 'schedule-triggered', kind: row.kind }
  }
}
