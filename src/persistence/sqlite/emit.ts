/**
 * Emit: an event is kept, and the waits for it end in the same transaction; their jobs are `ready` with it. A wait takes one event,
 * a job sees an event once, an event may end the waits of many jobs (invariant `wake-consumes-once`).
 */
import type { Database } from 'better-sqlite3'
import { isTerminal, type JobState } from '../../job/state.ts'
import type { EmitAnswer, EmitCommand } from '../commands/emit.ts'
import { prepareEndByEvent } from './backlog.ts'
import { payloadToColumn } from './job-columns.ts'
import { prepareWakeJob } from './wake.ts'

/** Signals that a job may have had in all: more are a sender that does not stop. */
const signalsMax = 10_000
/** How many of the oldest events are looked at with each new one; more than one, so that what is too much goes away. */
const droppedAtOnce = 8

interface WaitingRow {
  readonly seq: number
  readonly job: number
}

/** Prepares the command for a connection. */
export function prepareEmit(db: Database): (command: EmitCommand) => EmitAnswer {
  const isKept = db.prepare<[string], number>('SELECT seq FROM reeve_emitted WHERE id = ?').pluck()
  const insert = db.prepare(`
    INSERT INTO reeve_emitted (id, event, key, job, after_job, at, payload)
    VALUES (?, ?, ?, ?, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'reeve_jobs'), 0), ?, ?)
  `)
  const addressee = prepareAddressee(db)
  const waitsFor = prepareWaits(db)
  const endWait = prepareEndByEvent(db)
  const wake = prepareWakeJob(db)
  const drop = prepareDrop(db)

  return (command) => {
    const { id, event, key, payload, to, now } = command
    if (isKept.get(id) !== undefined) return { type: 'emitted', outcome: 'kept' }
    const job = to === null ? null : addressee(to)
    if (typeof job === 'string') return { type: 'emitted', outcome: job }
    const seq = Number(insert.run(id, event, key, job, now, payloadToColumn(payload)).lastInsertRowid)
    for (const wait of waitsFor(event, key, job)) {
      endWait(wait.seq, seq, payload, now)
      wake(wait.job, now)
    }
    if (job === null) drop(seq, command)
    return { type: 'emitted', outcome: 'kept' }
  }
}

/** The job that a signal is for, or why it cannot have it. */
function prepareAddressee(db: Database): (id: string) => number | 'not-found' | 'over' | 'full' {
  const find = db.prepare<[string], { readonly seq: number; readonly state: JobState }>(
    'SELECT seq, state FROM reeve_jobs WHERE id = ?',
  )
  const count = db
    .prepare<[number], number>(
      'SELECT count(*) FROM reeve_emitted INDEXED BY reeve_emitted_signal WHERE job = ? AND job IS NOT NULL',
    )
    .pluck()
  return (id) => {
    const job = find.get(id)
    if (job === undefined) return 'not-found'
    if (isTerminal(job.state)) return 'over'
    return (count.get(job.seq) ?? 0) >= signalsMax ? 'full' : job.seq
  }
}

/** The oldest wait of each job that matches. A job that is over takes nothing: a retry by hand finds what was kept. */
function prepareWaits(db: Database): (event: string, key: string | null, job: number | null) => WaitingRow[] {
  const live = `job IN (SELECT seq FROM reeve_jobs WHERE seq = job AND state NOT IN ('completed', 'cancelled', 'discarded'))`
  const of = (which: string) => `
    SELECT min(seq) AS seq, job FROM reeve_steps INDEXED BY ${which} AND ${live} GROUP BY job`
  const unkeyed = db.prepare<[string], WaitingRow>(
    of("reeve_steps_event WHERE event = ? AND match_key IS NULL AND event IS NOT NULL AND state = 'waiting'"),
  )
  const keyed = db.prepare<[string, string], WaitingRow>(
    of("reeve_steps_event WHERE event = ? AND match_key = ? AND event IS NOT NULL AND state = 'waiting'"),
  )
  const ofJob = db.prepare<[number, string], WaitingRow>(
    of("reeve_steps_waiting WHERE job = ? AND event = ? AND state = 'waiting'"),
  )
  return (event, key, job) => {
    if (job !== null) return ofJob.all(job, event)
    const byJob = new Map<number, WaitingRow>()
    for (const wait of [...unkeyed.all(event), ...(key === null ? [] : keyed.all(event, key))]) {
      const other = byJob.get(wait.job)
      if (other === undefined || wait.seq < other.seq) byJob.set(wait.job, wait)
    }
    return [...byJob.values()]
  }
}

function prepareDrop(db: Database): (newest: number, command: EmitCommand) => void {
  const drop = db.prepare<{ readonly before: number; readonly upTo: number }>(`
    DELETE FROM reeve_emitted WHERE seq IN (
      SELECT seq FROM (SELECT seq, at FROM reeve_emitted INDEXED BY reeve_emitted_kept WHERE job IS NULL ORDER BY seq LIMIT ${droppedAtOnce})
      WHERE at < @before OR seq <= @upTo
    )
  `)
  return (newest, { now, keepMs, keepMax }) => void drop.run({ before: now - keepMs, upTo: newest - keepMax })
}
