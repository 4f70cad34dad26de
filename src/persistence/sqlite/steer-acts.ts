/** What each act by hand does to one row. Every edge that is made here stands in the job's history. */
import type { Database } from 'better-sqlite3'
import { isTerminal } from '../../job/state.ts'
import type { MovedJob } from '../commands/moved-job.ts'
import type { HeldKey, SteerAct } from '../commands/steer.ts'
import { prepareEnded } from './ended.ts'
import { byHand, prepareHistory } from './history.ts'
import { inputInRowMax, type JobColumns, payloadToColumn, timeToColumn } from './job-columns.ts'
import { prepareRetakeKey } from './unique.ts'

/** What of a row an act needs. */
export const steeredColumns = 'seq, id, state, token, attempt, claimed_at, started_at, thread_id, timings, settled_at, hooks'

/** A row that an act may be done to. */
export type SteeredRow = Pick<
  JobColumns,
  'seq' | 'id' | 'state' | 'token' | 'attempt' | 'claimed_at' | 'started_at' | 'thread_id' | 'timings' | 'settled_at' | 'hooks'
>

/** What the acts of one page did to other jobs, and whom they could not be done to. */
export interface Aside {
  readonly moved: MovedJob[]
  readonly held: HeldKey[]
}

type Act<T extends SteerAct['type']> = (
  row: SteeredRow,
  act: Extract<SteerAct, { type: T }>,
  now: number,
  aside: Aside,
) => boolean

/** Prepares the acts for a connection. Each answers whether it was done: false where the row is in no state for it. */
export function prepareSteerActs(db: Database): (row: SteeredRow, act: SteerAct, now: number, aside: Aside) => boolean {
  const remember = prepareHistory(db)
  const park = db.prepare(`
    UPDATE reeve_jobs SET state = 'parked', was_suspect = suspect, suspect = 0, lane = lane WHERE seq = ?
  `)
  const reopen = db.prepare(`
    UPDATE reeve_jobs SET state = 'ready', suspect = was_suspect, was_suspect = 0, lane = lane WHERE seq = ?
  `)
  const discard = db.prepare(`
    UPDATE reeve_jobs SET state = 'discarded', settled_at = ?, error = ?, was_suspect = max(suspect, was_suspect), suspect = 0,
      lane = lane, in_turn = in_turn, hooks = hooks
    WHERE seq = ?
  `)
  const remove = db.prepare('DELETE FROM reeve_jobs WHERE seq = ?')
  const ended = prepareEnded(db)
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
    discard(row, { error }, now, { moved }) {
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
      if (row.hooks === 1) moved.push(...ended(row.seq, 'discarded', now))
      return true
    },
    delete(row, _, now, { moved }) {
      if (row.state === 'running') return false
      // While its row is there: what waits for it would wait for ever.
      if (row.hooks === 1 && !isTerminal(row.state)) moved.push(...ended(row.seq, 'cancelled', now))
      remove.run(row.seq)
      return true
    },
  }
  return (row, act, now, aside) => {
    // What was done to a row before it may have ended this one.
    const state = aside.moved.findLast(({ id }) => id === row.id)?.state ?? row.state
    return (acts[act.type] as Act<SteerAct['type']>)({ ...row, state }, act as never, now, aside)
  }
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
  const retake = prepareRetakeKey(db)
  const clearLarge = db.prepare('DELETE FROM reeve_inputs WHERE job = ?')
  const setLarge = db.prepare('INSERT INTO reeve_inputs (job, input) VALUES (?, ?)')

  const forgetSteps = db.prepare('DELETE FROM reeve_steps WHERE job = ?')
  // Whoever retries by hand has mended what they failed of.
  const forgetFailed = db.prepare("DELETE FROM reeve_steps WHERE job = ? AND state = 'failed'")

  return (row, { runAt, attemptsMax, input, fromStart = input !== undefined }, now, { moved, held }) => {
    if (!isTerminal(row.state)) return false
    const holder = retake(row.seq, now, moved)
    if (holder !== null) {
      held.push({ id: row.id, holder })
      return false
    }
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
