/** What a settle has to do with the history: the entry that it writes, and the answer that it finds there when it is repeated late. */
import type { Database } from 'better-sqlite3'
import type { JobState } from '../../job/state.ts'
import type { Ran, SettleAnswer, SettleCommand } from '../commands/settle.ts'
import type { HistoryEntry } from './history.ts'
import { type JobColumns, timeToColumn } from './job-columns.ts'

type SettlingRow = Pick<JobColumns, 'seq' | 'token' | 'attempt' | 'claimed_at' | 'owner'>

/** After an explicit retry the row no longer says how its last attempt was settled; its history does. */
export function prepareAnswerFromHistory(
  db: Database,
): (row: Pick<JobColumns, 'seq' | 'token' | 'settled_token'>) => SettleAnswer {
  const settled = db.prepare<[number, number], { outcome: string; ended_at: number }>(`
    SELECT outcome, ended_at FROM reeve_attempts
    WHERE job = ? AND token = ? AND claimed_at IS NOT NULL AND outcome <> 'reclaim' ORDER BY number DESC LIMIT 1
  `)
  return (row) => {
    const entry = row.settled_token === null ? settled.get(row.seq, row.token) : undefined
    if (entry === undefined) return { type: 'stale' }
    const { outcome, ended_at: runAt } = entry
    return {
      type: 'settled',
      state: outcome === 'complete' ? 'completed' : outcome === 'cancel' ? 'cancelled' : 'discarded',
      runAt,
    }
  }
}

/** The entry of an attempt that a settle ends; `row` is as it was before. */
export function entryOf(row: SettlingRow, state: JobState, { settlement, now, ran }: SettleCommand): HistoryEntry {
  const error = 'error' in settlement && state !== 'cancelled' ? settlement.error : undefined
  return {
    job: row.seq,
    token: row.token,
    attempt: row.attempt,
    outcome: state === 'cancelled' ? 'cancel' : settlement.type,
    claimedAt: row.claimed_at,
    startedAt: startedAtOf(ran),
    endedAt: now,
    threadId: ran?.threadId ?? null,
    owner: row.owner,
    error: error === undefined ? null : JSON.stringify(error),
    timings: timingsOf(ran),
  }
}

/** What the handler timed, as it is stored. */
export function timingsOf(ran: Ran | undefined): string | null {
  return ran?.timings === undefined ? null : JSON.stringify(ran.timings)
}

/** When the handler started, as it is stored. */
export function startedAtOf(ran: Ran | undefined): number | null {
  return ran?.startedAt == null ? null : timeToColumn(ran.startedAt)
}
