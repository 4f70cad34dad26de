/**
 * Settle: the end of an attempt, as a compare-and-set on its token. A settle that took effect leaves its token behind, so
 * that the same settle repeated answers as the first time and a stale one is told apart. Only a settle leaves it:
 * after a reclaim the late word of the dead is stale.
 */
import type { Database, Statement } from 'better-sqlite3'
import type { ErrorRecord } from '../../job/error-record.ts'
import type { Block, Settlement } from '../../job/outcome.ts'
import type { StoredPayload } from '../../job/payload.ts'
import { isTerminal, type JobState } from '../../job/state.ts'
import type { Moves } from '../commands/moved-job.ts'
import type { SettleAnswer, SettleCommand } from '../commands/settle.ts'
import { prepareBreakers } from './breakers.ts'
import { prepareChildren } from './children-of-job.ts'
import { prepareEnded } from './ended.ts'
import { prepareHistory } from './history.ts'
import { type JobColumns, payloadToColumn, timeToColumn } from './job-columns.ts'
import { prepareHoldback } from './pause.ts'
import { prepareScheduleSkips } from './schedule-skips.ts'
import { entryOf, prepareAnswerFromHistory, startedAtOf, timingsOf } from './settled-history.ts'
import { prepareSuspend } from './suspend.ts'

/** Stands for the due time that a settle gave, where it gave none because the job waits. */
const suspendedMark = -1

type SettledRow = Pick<
  JobColumns,
  | 'seq'
  | 'queue'
  | 'grp'
  | 'state'
  | 'token'
  | 'run_at'
  | 'attempt'
  | 'attempts_max'
  | 'cancel_requested'
  | 'settled_token'
  | 'settled_run_at'
  | 'settled_at'
  | 'suspect'
  | 'claimed_at'
  | 'owner'
  | 'hooks'
>

/** Prepares the command for a connection. */
export function prepareSettle(db: Database): (command: SettleCommand) => SettleAnswer {
  const read = db.prepare<[string], SettledRow>(`
    SELECT seq, queue, grp, state, token, run_at, attempt, attempts_max, cancel_requested, settled_token, settled_run_at, settled_at, suspect,
      claimed_at, owner, hooks FROM reeve_jobs WHERE id = ?
  `)
  const write = db.prepare(`
    UPDATE reeve_jobs SET state = ?, run_at = ?, attempt = ?, settled_run_at = ?, settled_at = ?, error = coalesce(?, error), result = ?, suspect = ?,
      started_at = ?, thread_id = ?, timings = ?, settled_token = token, owner = NULL, claim_number = NULL, lease_expires_at = NULL, lane = lane, in_turn = in_turn, hooks = hooks
    WHERE seq = ?
  `)
  // Nearly every settle is this one, so it has a statement of its own; whatever it does not match takes the long way.
  const complete = (more: string, where: string) =>
    db.prepare(`
      UPDATE reeve_jobs SET state = 'completed', result = ?, settled_at = ?, started_at = ?, thread_id = ?, timings = ?, settled_run_at = NULL, suspect = 0,
        settled_token = token, owner = NULL, claim_number = NULL, lease_expires_at = NULL ${more}
      WHERE id = ? AND state = 'running' AND token = ? AND cancel_requested = 0 AND schedule IS NULL AND hooks = 0 AND ${where}
    `)
  const completePlain = complete('', 'grp IS NULL')
  const completeInGroup = complete(', lane = NULL', 'grp IS NOT NULL')
  const suspend = prepareSuspend(db)
  const skips = prepareScheduleSkips(db)
  const movedBy = prepareMoved(db)
  const remember = prepareHistory(db)
  const answerFromHistory = prepareAnswerFromHistory(db)
  const hold = prepareHold(db)
  const countBy = prepareBreakers(db)
  return (command) => {
    const { lease, settlement, now, ran } = command
    if (settlement.type === 'complete' && settlement.children === undefined) {
      const values = [payloadToColumn(settlement.result), now, startedAtOf(ran), ran?.threadId ?? null, timingsOf(ran)]
      const isDone = (statement: Statement) => statement.run(...values, lease.jobId, lease.token).changes === 1
      if (isDone(completePlain) || isDone(completeInGroup))
        return { type: 'settled', state: 'completed', runAt: now, ...countBy(command, 'completed') }
    }
    const row = read.get(lease.jobId)
    if (row === undefined) return { type: 'stale' }
    if (row.settled_token === lease.token) return answerAgain(row, settlement, now)
    if (row.token !== lease.token) return { type: 'stale' }
    if (row.state !== 'running') return answerFromHistory(row)
    const mustWait = settlement.type === 'suspend' && row.cancel_requested === 0 && suspend(row, settlement.waits, now)
    const end = endOf(row, settlement, now, mustWait)
    const ready = end.state === 'ready'
    write.run(
      end.state,
      end.runAt,
      end.attempt,
      ready ? end.runAt : mustWait ? suspendedMark : null,
      isTerminal(end.state) ? now : null,
      end.error === null ? null : JSON.stringify(end.error),
      payloadToColumn(end.result),
      end.suspect,
      startedAtOf(ran),
      ran?.threadId ?? null,
      // Of any other end the history tells.
      end.state === 'completed' ? timingsOf(ran) : null,
      row.seq,
    )
    if (settlement.type === 'skip') skips.ofJob(row.seq)
    // What was handed back before it started is no attempt that anybody would ask for; one that waits is not over.
    const isHeldOnly = ready && settlement.type === 'interrupted' && ran === undefined
    const goesOn = settlement.type === 'suspend' && !isTerminal(end.state)
    if (!isHeldOnly && !goesOn && end.state !== 'completed') remember(entryOf(row, end.state, command))
    if (settlement.type === 'snooze' && settlement.block !== undefined) hold(row, settlement.block, command)
    const told = { ...movedBy(row, end.state, command), ...countBy(command, end.state) }
    return { type: 'settled', state: end.state, runAt: ready ? end.runAt : now, ...told }
  }
}

/** Prepares what follows for others from the end of a job; from anything else nothing does. */
function prepareMoved(db: Database): (row: SettledRow, state: JobState, command: SettleCommand) => Moves {
  const ended = prepareEnded(db)
  const admitChildren = prepareChildren(db)
  return ({ seq, hooks }, state, { settlement, now }) => {
    if (!isTerminal(state)) return {}
    const moved = hooks === 1 ? ended(seq, state, now) : []
    // After the key of their parent is free: a child may have it.
    if (state === 'completed' && settlement.type === 'complete' && settlement.children !== undefined)
      moved.push(...admitChildren(seq, settlement.children, now))
    return moved.length === 0 ? {} : { moved }
  }
}

/** What a handler asked to be held back with its job. A job without a group stands for itself alone. */
function prepareHold(db: Database): (row: SettledRow, block: Block, command: SettleCommand) => void {
  const holdback = prepareHoldback(db)
  return ({ queue, grp: group }, { scope, delayMs }, { lease, now }) => {
    const target = scope === 'queue' ? { queue } : group === null ? null : { queue, group }
    if (target !== null) holdback({ target, now, delayMs, reason: `asked for by job ${lease.jobId}` })
  }
}

/** A job that was put back may have moved on since; one that was ended has not, and its `runAt` is when it ended. */
function answerAgain(row: SettledRow, settlement: Settlement, now: number): SettleAnswer {
  if (row.settled_run_at === suspendedMark) return { type: 'settled', state: 'suspended', runAt: now }
  if (row.settled_run_at !== null) return { type: 'settled', state: 'ready', runAt: row.settled_run_at }
  const settled: SettleAnswer = { type: 'settled', state: row.state, runAt: row.settled_at ?? row.run_at }
  const hadChildren = settlement.type === 'complete' && settlement.children !== undefined
  return row.hooks === 1 || hadChildren ? { ...settled, moved: null } : settled
}

interface End {
  readonly state: JobState
  readonly runAt: number
  readonly attempt: number
  readonly error: ErrorRecord | null
  readonly result: StoredPayload
  readonly suspect: 0 | 1
}

/** Where a settlement leads. A cancel request that committed wins over all of them (invariant `cancel-running-decides-once`). */
function endOf(row: SettledRow, settlement: Settlement, now: number, mustWait: boolean): End {
  const over = { runAt: row.run_at, attempt: row.attempt, error: null, result: null, suspect: 0 as const }
  const again = (delayMs: number) => ({ ...over, state: 'ready' as const, runAt: timeToColumn(now + delayMs) })
  if (row.cancel_requested === 1) return { ...over, state: 'cancelled' }
  switch (settlement.type) {
    case 'complete':
      return { ...over, state: 'completed', result: settlement.result }
    case 'discard':
      return { ...over, state: 'discarded', error: settlement.error }
    case 'cancel':
    case 'skip':
      return { ...over, state: 'cancelled' }
    case 'fail': {
      const { error } = settlement
      return row.attempt >= (row.attempts_max ?? 0)
        ? { ...over, state: 'discarded', error }
        : { ...again(settlement.delayMs), error }
    }
    case 'snooze':
      return { ...again(settlement.delayMs), attempt: row.attempt - 1, error: settlement.error ?? null }
    case 'interrupted':
      // It keeps its place in the order; a clock that went back must not make it wait. It was not seen to its end, so a suspect stays one.
      return { ...over, state: 'ready', runAt: Math.min(row.run_at, now), attempt: row.attempt - 1, suspect: row.suspect }
    case 'suspend':
      return { ...over, state: mustWait ? 'suspended' : 'ready', runAt: now, attempt: row.attempt - 1 }
  }
}
