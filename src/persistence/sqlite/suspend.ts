/**
 * Suspend: the waits of a handler become rows in the transaction that takes it off its thread, and whatever is over already
 * (an event that came before its wait, a time that has passed) ends them at once. So a suspended job has a row that wakes it
 * (invariant `suspended-has-a-waker`), and nothing that came early is lost.
 */
import type { Database } from 'better-sqlite3'
import type { NewWait, StepState, StepTimer } from '../../job/step.ts'
import { prepareBacklog } from './backlog.ts'
import { prepareInvoke } from './invoke.ts'
import { timeToColumn } from './job-columns.ts'

/** Whose handler it is, as the attempt that suspends found it. */
export interface SuspendingJob {
  readonly seq: number
  readonly attempt: number
  readonly token: number
}

/** Prepares it for a connection. Answers whether the job has to wait: false where one of the given waits is over. */
export function prepareSuspend(db: Database): (job: SuspendingJob, waits: readonly NewWait[], now: number) => boolean {
  const insert = db.prepare<Record<string, string | number | null>>(`
    INSERT INTO reeve_steps (job, name, type, state, about, attempt, token, wake_at, event, match_key, started_at)
    VALUES (@job, @name, @type, 'waiting', @about, @attempt, @token, @wakeAt, @event, @match, @now)
    ON CONFLICT (job, name) DO UPDATE SET type = excluded.type, state = 'waiting', about = excluded.about, attempt = excluded.attempt,
      token = excluded.token, stands = 1, wake_at = excluded.wake_at, event = excluded.event, match_key = excluded.match_key,
      child = NULL, started_at = excluded.started_at, ended_at = NULL, error = NULL
      WHERE state = 'failed'
  `)
  const state = db.prepare<[number, string], StepState>('SELECT state FROM reeve_steps WHERE job = ? AND name = ?').pluck()
  const invoke = prepareInvoke(db)
  const takeBacklog = prepareBacklog(db)
  const endTimers = prepareEndTimers(db)

  return (job, waits, now) => {
    for (const wait of waits) {
      const { changes } = insert.run({ ...subscription(wait, now), job: job.seq, attempt: job.attempt, token: job.token, now })
      if (changes === 1 && wait.type === 'invoke') invoke(job.seq, wait.name, wait.child, now)
    }
    takeBacklog(job.seq, now)
    endTimers(job.seq, now)
    return waits.every(({ name }) => state.get(job.seq, name) === 'waiting')
  }
}

/**
 * Prepares the end of those waits of a job whose time has come, and sets when to look again. An event that waits for nothing but its
 * time ends as null.
 */
export function prepareEndTimers(db: Database): (job: number, now: number) => void {
  const end = db.prepare<{ readonly job: number; readonly now: number }>(`
    UPDATE reeve_steps SET state = 'ended', ended_at = @now, value = iif(type = 'event', 'null', NULL)
    WHERE job = @job AND state = 'waiting' AND wake_at <= @now
  `)
  const setNext = db.prepare<{ readonly job: number }>(`
    UPDATE reeve_jobs SET wake_at = (SELECT min(wake_at) FROM reeve_steps WHERE job = @job AND state = 'waiting') WHERE seq = @job
  `)
  return (job, now) => {
    end.run({ job, now })
    setNext.run({ job })
  }
}

function subscription(wait: NewWait, now: number) {
  const { name, type, about } = wait
  const none = { name, type, about, wakeAt: null, event: null, match: null }
  if (wait.type === 'invoke') return none
  const wakeAt = wait.timer === null ? null : timeToColumn(momentOf(wait.timer, now))
  return type === 'sleep' ? { ...none, wakeAt } : { ...none, wakeAt, event: wait.event, match: wait.match }
}

function momentOf(timer: StepTimer, now: number): number {
  return 'at' in timer ? timer.at : now + timer.afterMs
}
