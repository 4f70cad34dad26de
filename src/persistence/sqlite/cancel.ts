/**
 * Cancel: a waiting job is over at once; for a running one the request is recorded, and its settle (or its reclaim) then
 * ends it as cancelled whatever the handler did.
 */
import type { Database } from 'better-sqlite3'
import { isTerminal } from '../../job/state.ts'
import type { CancelAnswer, CancelCommand } from '../commands/cancel.ts'
import { prepareEnded } from './ended.ts'
import type { JobColumns } from './job-columns.ts'

type CancelRow = Pick<
  JobColumns,
  'seq' | 'state' | 'token' | 'owner' | 'cancel_requested' | 'settled_at' | 'settled_token' | 'settled_run_at' | 'hooks'
>

/**
 * Prepares the command for a connection. `repeated` says that an earlier run of it may have taken effect; of two cancels of
 * one job in the same millisecond a repetition then tells both that they cancelled it.
 */
export function prepareCancel(db: Database): (command: CancelCommand, repeated: boolean) => CancelAnswer {
  const read = db.prepare<[string], CancelRow>(`
    SELECT seq, state, token, owner, cancel_requested, settled_at, settled_token, settled_run_at, hooks FROM reeve_jobs WHERE id = ?
  `)
  const end = db.prepare(
    `UPDATE reeve_jobs SET state = 'cancelled', was_suspect = max(suspect, was_suspect), suspect = 0, settled_at = ?, lane = lane, in_turn = in_turn, hooks = hooks
    WHERE seq = ?`,
  )
  const ended = prepareEnded(db)
  const request = db.prepare('UPDATE reeve_jobs SET cancel_requested = 1 WHERE seq = ?')

  return ({ jobId, now }, repeated) => {
    const row = read.get(jobId)
    if (row === undefined) return { type: 'not-found' }
    if (isTerminal(row.state)) {
      return repeated && wasEndedByCancel(row, now)
        ? { type: 'cancelled', ...(row.hooks === 1 && { moved: null }) }
        : { type: 'already-over', state: row.state }
    }
    if (row.state === 'running' && row.owner !== null) {
      request.run(row.seq)
      return { type: 'cancel-requested', owner: row.owner, token: row.token }
    }
    end.run(now, row.seq)
    const moved = row.hooks === 1 ? ended(row.seq, 'cancelled', now) : []
    return { type: 'cancelled', ...(moved.length > 0 && { moved }) }
  }
}

/** Whether a cancel at this very moment ended the job while it waited, and not the settle or the reclaim of an attempt. */
function wasEndedByCancel(row: CancelRow, now: number): boolean {
  const endedBySettle = row.settled_token === row.token && row.settled_run_at === null
  return row.state === 'cancelled' && row.settled_at === now && row.cancel_requested === 0 && !endedBySettle
}
