/**
 * Reclaim: takes back what an owner that is proved dead was running. The attempt stays charged, so that a job which kills
 * the process cannot do so for ever. It leaves no settled token: a late settle of the dead is stale.
 */
import type { Database } from 'better-sqlite3'
import type { ErrorRecord } from '../../job/error-record.ts'
import type { TerminalState } from '../../job/state.ts'
import type { ReclaimAnswer, ReclaimCommand } from '../store.ts'
import type { JobColumns } from './job-columns.ts'

type LostRow = Pick<JobColumns, 'seq' | 'id' | 'kind' | 'state' | 'attempt' | 'attempts_max' | 'cancel_requested'>

/** Prepares the command for a connection. `repeated` says that an earlier run of it may have taken effect. */
export function prepareReclaim(db: Database): (command: ReclaimCommand, repeated: boolean) => ReclaimAnswer {
  const columns = 'seq, id, kind, state, attempt, attempts_max, cancel_requested'
  const running = db.prepare<[string], LostRow>(`
    SELECT ${columns} FROM reeve_jobs WHERE state = 'running' AND owner = ? ORDER BY seq
  `)
  // An owner dies once, so its name on a row is the mark of the first run. This reads the whole table, after a failed commit only.
  const lostBefore = db.prepare<[string], LostRow>(`SELECT ${columns} FROM reeve_jobs WHERE lost_owner = ? ORDER BY seq`)
  const write = db.prepare(`
    UPDATE reeve_jobs SET state = @state, run_at = min(run_at, @now), settled_at = iif(@state = 'ready', NULL, @now),
      error = coalesce(@error, error), crashes = crashes + 1, lost_owner = owner, owner = NULL, claim_number = NULL, lease_expires_at = NULL
    WHERE seq = @seq
  `)
  return ({ owner, now }, repeated) => {
    const before = repeated ? lostBefore.all(owner).map(asItWasLost) : []
    const taken = running.all(owner).map((row) => {
      const state = endOf(row)
      write.run({ seq: row.seq, state, now, error: state === 'cancelled' ? null : JSON.stringify(lostError(row.attempt)) })
      return { id: row.id, kind: row.kind, state, attempt: row.attempt }
    })
    return { type: 'reclaimed', jobs: [...before, ...taken] }
  }
}

/** A job that runs again was made ready by the reclaim and charged by its new claim since. */
function asItWasLost({ id, kind, state, attempt }: LostRow): ReclaimAnswer['jobs'][number] {
  return state === 'running' ? { id, kind, state: 'ready', attempt: attempt - 1 } : { id, kind, state, attempt }
}

function endOf(row: LostRow): 'ready' | TerminalState {
  if (row.cancel_requested === 1) return 'cancelled'
  return row.attempt >= (row.attempts_max ?? 0) ? 'discarded' : 'ready'
}

function lostError(attempt: number): ErrorRecord {
  return {
    name: 'ReeveError',
    code: 'REEVE_ATTEMPT_LOST',
    message: `The process that ran attempt ${attempt} died before it settled.`,
  }
}
