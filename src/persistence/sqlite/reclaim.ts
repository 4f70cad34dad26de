/**
 * Reclaim: takes back what an owner that is proved dead was running. It leaves no settled token: a late settle of the dead
 * is stale.
 *
 * A job that was held *alone* at the death is charged for it. Where several were held, the death proves nothing about any one
 * of them: each has its attempt given back. Either way each is a suspect from then on and runs alone until it settles,
 * so the next death, if there is one, is proof.
 */
import type { Database } from 'better-sqlite3'
import { isTerminal, type TerminalState } from '../../job/state.ts'
import type { MovedJob } from '../commands/moved-job.ts'
import type { ReclaimAnswer, ReclaimCommand } from '../commands/reclaim.ts'
import type { Crash } from '../job-row.ts'
import { crashError, lostError } from './crash-story.ts'
import { prepareEnded } from './ended.ts'
import { prepareHistory } from './history.ts'
import { crashLogFromColumn, type JobColumns } from './job-columns.ts'

/** The crash log keeps this many of the latest crashes. */
const crashLogMax = 20

type AnswerRow = Pick<JobColumns, 'id' | 'kind' | 'state' | 'attempt' | 'hooks'>
type LostRow = AnswerRow &
  Pick<
    JobColumns,
    'seq' | 'token' | 'claimed_at' | 'attempts_max' | 'cancel_requested' | 'crashes' | 'crashes_alone' | 'crash_log'
  >

/** Prepares the command for a connection. `repeated` says that an earlier run of it may have taken effect. */
export function prepareReclaim(db: Database): (command: ReclaimCommand, repeated: boolean) => ReclaimAnswer {
  const running = db.prepare<[string], LostRow>(`
    SELECT seq, id, kind, state, token, claimed_at, attempt, attempts_max, cancel_requested, crashes, crashes_alone, crash_log, hooks
    FROM reeve_jobs WHERE state = 'running' AND owner = ? ORDER BY seq
  `)
  // An owner dies once, so its name on a row is the mark of the first run. This reads the whole table, after a failed commit only.
  const lostBefore = db.prepare<[string], AnswerRow>(`
    SELECT id, kind, state, attempt, hooks FROM reeve_jobs WHERE lost_owner = ? ORDER BY seq
  `)
  const write = db.prepare(`
    UPDATE reeve_jobs SET state = @state, attempt = @attempt, run_at = min(run_at, @now),
      settled_at = iif(@state = 'ready', NULL, @now), suspect = iif(@state = 'ready', 1, 0), was_suspect = iif(@state = 'ready', 0, 1), error = coalesce(@error, error),
      crashes = crashes + 1, crashes_alone = @crashesAlone, crash_log = @crashLog,
      lost_owner = owner, owner = NULL, claim_number = NULL, lease_expires_at = NULL, lane = lane, in_turn = in_turn, hooks = hooks
    WHERE seq = @seq
  `)
  // What it locked for its jobs is free with them; what it locked for its app is free with it.
  const unlock = db.prepare<[string]>('DELETE FROM reeve_locks WHERE owner = ?')
  const remember = prepareHistory(db)
  const ended = prepareEnded(db)
  return (command, repeated) => {
    const lost = repeated ? lostBefore.all(command.owner) : []
    const before = lost.map(asItWasLost)
    const rows = running.all(command.owner)
    const alone = rows.length === 1
    unlock.run(command.owner)
    const moved: MovedJob[] = []
    const taken = rows.map((row) => {
      const end = endOf(row, command, alone)
      const { seq, id, kind } = row
      const { state, attempt } = end
      write.run({
        ...{ seq, state, attempt, now: command.now, crashesAlone: end.crashesAlone },
        ...{ crashLog: JSON.stringify(end.log), error: end.error === null ? null : JSON.stringify(end.error) },
      })
      remember({
        ...{
          job: seq,
          token: row.token,
          attempt: row.attempt,
          outcome: 'reclaim',
          claimedAt: row.claimed_at,
          endedAt: command.now,
        },
        ...{
          startedAt: null,
          threadId: null,
          timings: null,
          owner: command.owner,
          error: JSON.stringify(end.error ?? lostError(row.attempt)),
        },
      })
      if (row.hooks === 1 && isTerminal(state)) moved.push(...ended(seq, state, command.now))
      return { id, kind, state, attempt }
    })
    const jobs = [...before, ...taken]
    // What the first run moved cannot be told any more.
    if (lost.some(({ hooks }) => hooks === 1)) return { type: 'reclaimed', jobs, moved: null }
    return { type: 'reclaimed', jobs, ...(moved.length > 0 && { moved }) }
  }
}

/** A job that runs again was made ready by the reclaim and charged by its new claim since. */
function asItWasLost({ id, kind, state, attempt }: AnswerRow): ReclaimAnswer['jobs'][number] {
  return state === 'running' ? { id, kind, state: 'ready', attempt: attempt - 1 } : { id, kind, state, attempt }
}

/** Where a death leads. A cancel request that committed wins; a death that was shared ends nothing. */
function endOf(row: LostRow, { owner, now, crashesMax }: ReclaimCommand, alone: boolean) {
  const log: readonly Crash[] = [...crashLogFromColumn(row.crash_log), { at: now, owner, alone }].slice(-crashLogMax)
  const crashesAlone = row.crashes_alone + (alone ? 1 : 0)
  const over = (state: 'ready' | TerminalState) => ({ state, attempt: row.attempt, crashesAlone, log })
  if (row.cancel_requested === 1) return { ...over('cancelled'), error: null }
  if (!alone) return { ...over('ready'), attempt: row.attempt - 1, error: lostError(row.attempt) }
  if (crashesAlone >= crashesMax) {
    return { ...over('discarded'), error: crashError({ log, crashes: row.crashes + 1, crashesAlone }) }
  }
  return { ...over(row.attempt >= (row.attempts_max ?? 0) ? 'discarded' : 'ready'), error: lostError(row.attempt) }
}
