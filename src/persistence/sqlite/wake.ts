/** Wake: suspended jobs whose time has come are `ready`, due since that time; the earliest first, so many at once. */
import type { Database } from 'better-sqlite3'
import type { WakeAnswer, WakeCommand } from '../commands/wake.ts'
import type { PendingWaits } from '../inspection.ts'
import { prepareEndTimers } from './suspend.ts'

interface DueRow {
  readonly seq: number
  readonly wake_at: number
}

/** Prepares the command for a connection. */
export function prepareWake(db: Database): (command: WakeCommand) => WakeAnswer {
  const due = db.prepare<[number, number], DueRow>(`
    SELECT seq, wake_at FROM reeve_jobs INDEXED BY reeve_jobs_wake
    WHERE state = 'suspended' AND wake_at IS NOT NULL AND wake_at <= ? ORDER BY wake_at, seq LIMIT ?
  `)
  const endTimers = prepareEndTimers(db)
  const wake = prepareWakeJob(db)
  const next = prepareNextWakeAt(db)
  return ({ now, limit }) => {
    for (const { seq, wake_at } of due.all(now, limit)) {
      endTimers(seq, now)
      wake(seq, wake_at)
    }
    return { type: 'woken', nextWakeAt: next() }
  }
}

function prepareNextWakeAt(db: Database): () => number | null {
  const next = db
    .prepare<[], number>(`
      SELECT wake_at FROM reeve_jobs INDEXED BY reeve_jobs_wake
      WHERE state = 'suspended' AND wake_at IS NOT NULL ORDER BY wake_at LIMIT 1
    `)
    .pluck()
  return () => next.get() ?? null
}

/** Prepares a look at what suspended jobs wait for, besides events: two seeks. */
export function prepareWaits(db: Database): () => PendingWaits {
  const nextWakeAt = prepareNextWakeAt(db)
  const child = db
    .prepare<[], number>(
      "SELECT 1 FROM reeve_steps INDEXED BY reeve_steps_child WHERE state = 'waiting' AND child IS NOT NULL LIMIT 1",
    )
    .pluck()
  return () => ({ nextWakeAt: nextWakeAt(), forJobs: child.get() !== undefined })
}

/** Prepares `suspended → ready` for a job one of whose waits is over. One that runs, or is woken already, is left as it is. */
export function prepareWakeJob(db: Database): (job: number, runAt: number) => void {
  const wake = db.prepare("UPDATE reeve_jobs SET state = 'ready', run_at = ?, lane = lane WHERE seq = ? AND state = 'suspended'")
  return (job, runAt) => void wake.run(runAt, job)
}
