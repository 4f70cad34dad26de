/**
 * Claim: `ready → running`. The only place where the token grows and an attempt is charged. Charged here and not at the
 * settle, so that a job which takes the process down has been counted.
 *
 * Whatever decides whether a job may run is decided here, in the claiming transaction. Where there are no groups, no gates and no
 * chosen queues, that is one walk along an index (due-jobs.ts); else the jobs come by turns (claiming/walk.ts).
 *
 * A suspect is taken alone or not at all: the next death must be proof.
 */
import type { Database } from 'better-sqlite3'
import type { LeaseToken } from '../../job/lease.ts'
import type { ClaimAnswer, ClaimCommand, ClaimedJob } from '../commands/claim.ts'
import { prepareAnyOpen } from './claiming/breakers.ts'
import { type GateScope, type Gates, prepareGates } from './claiming/gates.ts'
import type { GatedJob } from './claiming/held.ts'
import { prepareSuspects, type Suspects } from './claiming/suspects.ts'
import { prepareTurnClock, type Turns } from './claiming/turns.ts'
import { prepareWalk, type Walk } from './claiming/walk.ts'
import { claimColumns, type DueJobs, type DueRow, prepareDueJobs } from './due-jobs.ts'
import { backoffFromColumn, tickOf, timeToColumn } from './job-columns.ts'

/** Whether anything stands in the way of the one walk along an index. */
export const hindranceSql = `SELECT EXISTS (SELECT 1 FROM reeve_lanes INDEXED BY reeve_lanes_due WHERE due IS NOT NULL)
  OR EXISTS (SELECT 1 FROM reeve_lanes INDEXED BY reeve_lanes_closed WHERE closed = 1)
  OR EXISTS (SELECT 1 FROM reeve_limits) OR EXISTS (SELECT 1 FROM reeve_pauses WHERE until IS NULL OR until > ?)`

/** Prepares the command for a connection. */
export function prepareClaim(db: Database): (command: ClaimCommand) => ClaimAnswer {
  const plain = prepareDueJobs(db)
  const suspects = prepareSuspects(db)
  const gatesOf = prepareGates(db)
  const walk = prepareWalk(db)
  const turnClock = prepareTurnClock(db)
  const lease = prepareLease(db)
  const answer = answerOf({ plain, suspects, gatesOf, walk })
  const hindered = db.prepare<[number], number>(hindranceSql).pluck()
  const anyOpen = prepareAnyOpen(db)
  const claimedBefore = db.prepare<[string, number], DueRow>(`
    SELECT ${claimColumns} FROM reeve_jobs
    WHERE state = 'running' AND owner = +? AND claim_number = +? ORDER BY claim_place
  `)

  const takeUnhindered = (command: ClaimCommand): ClaimedJob[] => {
    const taken: ClaimedJob[] = []
    for (const row of plain.due(command.now, command.limit + command.ahead)) {
      if (taken.length >= command.limit && isLast(row, command)) break
      taken.push(lease(row, command, taken.length))
    }
    return taken
  }
  const takeByTurns = (command: ClaimCommand, turns: Turns): ClaimedJob[] => {
    const gates = gatesOf(command)
    const taken: ClaimedJob[] = []
    walk.run({ command, gates, turns }, command.limit + command.ahead, (row) => {
      if (taken.length >= command.limit && (isLast(row, command) || gates.isGated(row))) return false
      taken.push(lease(row, command, taken.length))
      gates.taken(row)
      return true
    })
    return taken
  }
  const takeSuspect = (command: ClaimCommand): ClaimedJob[] => {
    const gates = gatesOf(command)
    const suspect = suspects.first(command, gates)
    if (suspect === undefined) return []
    gates.taken(suspect)
    return [lease(suspect, command, 0)]
  }

  return (command) => {
    const { now, owner, claimNumber } = command
    const byTurns = isNarrowed(command) || hindered.get(now) === 1 || (command.breakers.length > 0 && anyOpen())
    const turns = byTurns ? turnClock.begin(now) : null
    // A number is used once, so rows that carry it are what the first run of this command took.
    const before = claimedBefore.all(owner, claimNumber)
    if (before.length > 0) {
      const jobs = before.map((row) => claimedJob(row, row.attempts_max ?? command.attemptsMaxDefault))
      return answer(command, jobs, turns)
    }
    const suspect = command.alone && suspects.any() ? takeSuspect(command) : []
    const jobs = suspect.length > 0 ? suspect : turns === null ? takeUnhindered(command) : takeByTurns(command, turns)
    if (turns !== null && jobs.length > 0) turnClock.keep(turns.latest)
    return answer(command, jobs, turns)
  }
}

/** Whether the claimer itself does not want just any job. */
function isNarrowed({ queues, queuesExcluded, groupMax, localLimits }: ClaimCommand): boolean {
  return queues !== null || queuesExcluded.length > 0 || groupMax !== null || localLimits.length > 0
}

/** What a claim looks into. */
interface Looks {
  readonly plain: DueJobs
  readonly suspects: Suspects
  readonly gatesOf: (scope: GateScope) => Gates
  readonly walk: Walk
}

/** Looks again after the claim: what is left is what the caller must know of. */
function answerOf({ plain, suspects, gatesOf, walk }: Looks) {
  return (command: ClaimCommand, jobs: readonly ClaimedJob[], turns: Turns | null): ClaimAnswer => {
    const { limit, ahead, claimNumber } = command
    const before = { claimNumber, jobs: jobs.map(gatedJob) }
    const suspectGates = suspects.any() ? gatesOf({ ...command, before }) : null
    const outlook = suspectGates === null ? noSuspects : suspects.outlook(command, suspectGates)
    const suspectsDue = outlook.due
    if (jobs.length >= limit + ahead) return { type: 'claimed', jobs, nextRunAt: null, suspectsDue, limited: false }
    const gates = turns === null ? null : gatesOf(command)
    const next = gates === null || turns === null ? plain.nextRunAt() : walk.nextRunAt({ command, gates, turns })
    const times = [next, outlook.nextRunAt].filter((at) => at !== null)
    const nextRunAt = times.length === 0 ? null : Math.max(Math.min(...times), command.now)
    const limited = suspectGates?.metFull === true || gates?.metFull === true || (turns !== null && walk.anyClosed())
    return { type: 'claimed', jobs, nextRunAt, suspectsDue, limited }
  }
}

const noSuspects = { due: false, nextRunAt: null } as const

/** Writes the lease of one job and gives the job as it then is. The walk keeps the lane that it takes from; a suspect is in none. */
function prepareLease(db: Database): (row: DueRow, command: ClaimCommand, place: number) => ClaimedJob {
  const set = `UPDATE reeve_jobs SET state = 'running', token = token + 1, attempt = attempt + 1, attempts_max = ?, owner = ?,
    claim_number = ?, claim_place = ?, lease_expires_at = ?, claimed_at = ?, progress = NULL, progress_note = NULL`
  type Values = [number, string, number, number, number, number, number]
  const write = db.prepare<Values>(`${set} WHERE seq = ?`)
  return (row, command, place) => {
    const attemptsMax = attemptsMaxOf(row, command)
    const { owner, claimNumber, leaseExpiresAt, now } = command
    write.run(attemptsMax, owner, claimNumber, place, timeToColumn(leaseExpiresAt), now, row.seq)
    return claimedJob({ ...row, token: (row.token + 1) as LeaseToken, attempt: row.attempt + 1 }, attemptsMax)
  }
}

/** Whether this attempt would be its last: it is not taken ahead, for a crash must not bury a job that never ran. */
function isLast(row: DueRow, command: ClaimCommand): boolean {
  return row.attempt + 1 >= attemptsMaxOf(row, command)
}

function gatedJob({ queue, kind, group }: ClaimedJob): GatedJob {
  return { queue, kind, grp: group }
}

/** Fixed at the first claim: from the enqueue, else the kind, else the default. */
function attemptsMaxOf(row: DueRow, { attemptsMaxByKind, attemptsMaxDefault }: ClaimCommand): number {
  if (row.attempts_max !== null) return row.attempts_max
  const ofKind = Object.hasOwn(attemptsMaxByKind, row.kind) ? attemptsMaxByKind[row.kind] : undefined
  return ofKind ?? attemptsMaxDefault
}

function familyOf({ parent, root, correlation_id: correlationId }: DueRow): Pick<ClaimedJob, 'family'> {
  return parent === null && correlationId === null ? {} : { family: { parent, root, correlationId } }
}

function claimedJob(row: DueRow, attemptsMax: number): ClaimedJob {
  return {
    id: row.id,
    token: row.token,
    kind: row.kind,
    queue: row.queue,
    group: row.grp,
    priority: row.priority,
    input: row.input,
    attempt: row.attempt,
    attemptsMax,
    timeoutMs: row.timeout_ms,
    backoff: backoffFromColumn(row.backoff),
    createdAt: row.created_at,
    runAt: row.run_at,
    isSuspect: row.suspect === 1,
    tick: tickOf(row),
    ...familyOf(row),
  }
}
