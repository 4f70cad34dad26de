/** What each act by hand does to one row. Every edge that is made here stands in the job's history. */
import type { Database } from 'better-sqlite3'
import { isTerminal } from '../../job/state.ts'
import type { SteerAct } from '../commands/steer.ts'
import { byHand, prepareHistory } from './history.ts'
import { inputInRowMax, type JobColumns, payloadToColumn, timeToColumn } from './job-columns.ts'

/** What of a row an act needs. */
export const steeredColumns = 'seq, id, state, token, attempt, claimed_at, started_at, thread_id, timings, settled_at'

/** A row that an act may be done to. */
export type SteeredRow = Pick<
  JobColumns,
  'seq' | 'id' | 'state' | 'token' | 'attempt' | 'claimed_at' | 'started_at' | 'thread_id' | 'timings' | 'settled_at'
>

type Act<T extends SteerAct['type']> = (row: SteeredRow, act: Extract<SteerAct, { type: T }>, now: number) => boolean

/** Prepares the acts for a connection. Each answers whether it was done: false where the row is in no state for it. */
export function prepareSteerActs(db: Database): (row: SteeredRow, act: SteerAct, now: number) => boolean {
  const remember = prepareHistory(db)
  const park = db.prepare(`
    UPDATE reeve_jobs SET state = 'parked', was_suspect = suspect, suspect = 0, lane = lane WHERE seq = ?
  `)
  const reopen = db.prepare(`
    UPDATE reeve_jobs SET state = 'ready', suspect = was_suspect, was_suspect = 0, lane = lane WHERE seq = ?
  `)
  const discard = db.prepare(`
    UPDATE reeve_jobs SET state = 'discarded', settled_at = ?, error = ?, was_suspect = max(suspect, was_suspect), suspect = 0,
      lane = lane, in_turn = in_turn
    WHERE seq = ?
  `)
  const remove = db.prepare('DELETE FROM reeve_jobs WHERE seq = ?')
  const entry = (row: SteeredRow, outcome: 'park' | 'reopen' | 'discard', now: number) =>
    remember({ ...byHand, job: row.seq, token: row.token, attempt: row.attempt, outcome, endedAt: now })

  const acts: { readonly [T in SteerAct['type']]: Act<T> } = {
    retry: prepareRetry(db),
    park(row, _, now) {
      if (row.state !== 'ready') return false
      park.run(row.seq)
      entry(row, 'park', now)
      return true
    },
    reopen(row, _, now) {
      if (row.state !== 'parked') return false
      reopen.run(row.seq)
      entry(row, 'reopen', now)
      return true
    },
    discard(row, { error }, now) {
      if (row.state !== 'ready' && row.state !== 'parked' && row.state !== 'suspended') return false
      const record = JSON.stringify(error)
      discard.run(now, record, row.seq)
      remember({
        ...byHand,
        job: row.seq,
        token: row.token,
        attempt: row.attempt,
        outcome: 'discard',
        endedAt: now,
        error: record,
      })
      return true
    },
    delete(row) {
      if (row.state === 'running') return false
      remove.run(row.seq)
      return true
    },
  }
  return (row, act, now) => (acts[act.type] as Act<SteerAct['type']>)(row, act as never, now)
}

/**
 * An explicit retry: the one way out of a terminal state. The token goes on, so that no word of an earlier attempt can be taken
 * for one of this life; the request of a cancel goes with the attempts, or the job could never run to its end again. The mark of a
 * settle that ended the job goes too: it would say of a later cancel that the settle had ended it. The history still knows it.
 */
function prepareRetry(db: Database): Act<'retry'> {
  const remember = prepareHistory(db)
  const write = db.prepare(`
    UPDATE reeve_jobs SET state = 'ready', run_at = ?, attempt = 0, attempts_max = coalesce(?, attempts_max), cancel_requested = 0,
      suspect = was_suspect, was_suspect = 0, crashes = 0, crashes_alone = 0, crash_log = NULL,
      settled_token = iif(settled_run_at IS NULL, NULL, settled_token), settled_at = NULL, error = NULL, result = NULL, progress = NULL, progress_note = NULL, lane = lane
    WHERE seq = ?
  `)
  const setInput = db.prepare('UPDATE reeve_jobs SET input = ? WHERE seq = ?')
  const clearLarge = db.prepare('DELETE FROM reeve_inputs WHERE job = ?')
  const setLarge = db.prepare('INSERT INTO reeve_inputs (job, input) VALUES (?, ?)')

  const forgetSteps = db.prepare('DELETE FROM reeve_steps WHERE job = ?')
  // Whoever retries by hand has mended what they failed of.
  const forgetFailed = db.prepare("DELETE FROM reeve_steps WHERE job = ? AND state = 'failed'")

  return (row, { runAt, attemptsMax, input, fromStart = input !== undefined }, now) => {
    if (!isTerminal(row.state)) return false
    const { seq: job, token, attempt } = row
    // Its row told of the completed attempt till now.
    if (row.state === 'completed') {
      const { claimed_at: claimedAt, started_at: startedAt, settled_at, thread_id: threadId, timings } = row
      const endedAt = settled_at ?? now
      const ran = { startedAt, threadId, timings }
      remember({ job, token, attempt, outcome: 'complete', claimedAt, endedAt, ...ran, owner: null, error: null })
    }
    write.run(timeToColumn(runAt), attemptsMax, job)
    const forget = fromStart ? forgetSteps : forgetFailed
    forget.run(job)
    if (input !== undefined) {
      const payload = payloadToColumn(input.payload)
      const isLarge = payload !== null && payload.length > inputInRowMax
      clearLarge.run(job)
      setInput.run(isLarge ? null : payload, job)
      if (isLarge) setLarge.run(job, payload)
    }
    remember({ ...byHand, job, token, attempt, outcome: 'retry', endedAt: now })
    return true
  }
}
