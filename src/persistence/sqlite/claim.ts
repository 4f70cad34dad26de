/**
 * Claim: `ready → running`. The only place where the token grows and an attempt is charged. Charged here and not at the
 * settle, so that a job which takes the process down has been counted.
 *
 * A suspect is taken alone or not at all: the next death must be proof.
 */
import type { Database } from 'better-sqlite3'
import type { LeaseToken } from '../../job/lease.ts'
import type { ClaimAnswer, ClaimCommand, ClaimedJob } from '../commands/claim.ts'
import { claimColumns, type DueRow, prepareDueJobs } from './due-jobs.ts'
import { backoffFromColumn, tickOf, timeToColumn } from './job-columns.ts'

/** Prepares the command for a connection. */
export function prepareClaim(db: Database): (command: ClaimCommand) => ClaimAnswer {
  const unsuspected = prepareDueJobs(db, 'unsuspected')
  const suspects = prepareDueJobs(db, 'suspects')
  const claimedBefore = db.prepare<[string, number], DueRow>(`
    SELECT ${claimColumns} FROM reeve_jobs
    WHERE state = 'running' AND owner = ? AND claim_number = ? ORDER BY priority DESC, run_at, seq
  `)
  const lease = db.prepare<[number, string, number, number, number, number]>(`
    UPDATE reeve_jobs SET state = 'running', token = token + 1, attempt = attempt + 1, attempts_max = ?, owner = ?,
      claim_number = ?, lease_expires_at = ?, claimed_at = ?, progress = NULL, progress_note = NULL, lane = lane
    WHERE seq = ?
  `)

  /** Looks again after the claim: what is left is what the caller must know of. */
  const answer = (command: ClaimCommand, jobs: readonly ClaimedJob[]): ClaimAnswer => {
    const { now, limit, ahead } = command
    const suspectAt = suspects.nextRunAt(command)
    const suspectsDue = suspectAt !== null && suspectAt <= now
    if (jobs.length >= limit + ahead) return { type: 'claimed', jobs, nextRunAt: null, suspectsDue }
    const next = unsuspected.nextRunAt(command)
    const nextRunAt = suspectAt === null || suspectsDue ? next : Math.min(next ?? suspectAt, suspectAt)
    return { type: 'claimed', jobs, nextRunAt, suspectsDue }
  }

  return (command) => {
    const { now, owner, claimNumber, limit, ahead } = command
    // A number is used once, so rows that carry it are what the first run of this command took.
    const before = claimedBefore.all(owner, claimNumber)
    if (before.length > 0) {
      const jobs = before.map((row) => claimedJob(row, row.attempts_max ?? command.attemptsMaxDefault))
      return answer(command, jobs)
    }
    const suspect = command.alone ? suspects.due(now, command, 1) : []
    const rows = suspect.length > 0 ? suspect : unsuspected.due(now, command, limit + ahead)
    const expiry = timeToColumn(command.leaseExpiresAt)
    const jobs: ClaimedJob[] = []
    for (const row of rows) {
      const attemptsMax = attemptsMaxOf(row, command)
      if (jobs.length >= limit && row.attempt + 1 >= attemptsMax) break
      lease.run(attemptsMax, owner, claimNumber, expiry, now, row.seq)
      jobs.push(claimedJob({ ...row, token: (row.token + 1) as LeaseToken, attempt: row.attempt + 1 }, attemptsMax))
    }
    return answer(command, jobs)
  }
}

/** Fixed at the first claim: from the enqueue, else the kind, else the default. */
function attemptsMaxOf(row: DueRow, { attemptsMaxByKind, attemptsMaxDefault }: ClaimCommand): number {
  if (row.attempts_max !== null) return row.attempts_max
  const ofKind = Object.hasOwn(attemptsMaxByKind, row.kind) ? attemptsMaxByKind[row.kind] : undefined
  return ofKind ?? attemptsMaxDefault
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
  }
}
