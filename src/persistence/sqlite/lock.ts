/**
 * Locks: one row a name. A row counts only while its holder does: a handler's while its job runs under the same token, an app's
 * while its supervisor is registered. So a settle, a reclaim and a death free a lock by what they do anyway, and none can leak.
 */
import type { Database } from 'better-sqlite3'
import type { JobId, OwnerId } from '../../job/lease.ts'
import type { LockHolder } from '../../job/lock.ts'
import type { LockAnswer, LockCommand, UnlockAnswer, UnlockCommand } from '../commands/lock.ts'
import { timeToColumn } from './job-columns.ts'

interface LockRow {
  readonly token: number
  readonly taking: string
  readonly owner: OwnerId
  readonly job: JobId | null
  readonly taken_at: number
  readonly expires_at: number | null
}

/** The row of a lock, where it counts; a seek on each table. */
const heldSql = `
  SELECT lock.token, lock.taking, lock.owner, job.id AS job, lock.taken_at, lock.expires_at
  FROM reeve_locks AS lock LEFT JOIN reeve_jobs AS job ON job.seq = lock.job
  WHERE lock.name = @name AND (lock.expires_at IS NULL OR lock.expires_at > @now)
    AND iif(lock.job IS NULL,
      EXISTS (SELECT 1 FROM reeve_supervisors AS supervisor WHERE supervisor.owner = lock.owner),
      job.state = 'running' AND job.token = lock.job_token)
`

/** Prepares the look at who holds a lock; null where it is free. */
export function prepareLockHolder(db: Database): (name: string, now: number) => LockHolder | null {
  const held = db.prepare<{ readonly name: string; readonly now: number }, LockRow>(heldSql)
  return (name, now) => {
    const row = held.get({ name, now })
    return row === undefined ? null : holderOf(row)
  }
}

/** Prepares the command for a connection. */
export function prepareLock(db: Database): (command: LockCommand) => LockAnswer {
  const held = db.prepare<{ readonly name: string; readonly now: number }, LockRow>(heldSql)
  const running = db
    .prepare<[string, number], number>("SELECT seq FROM reeve_jobs WHERE id = ? AND state = 'running' AND token = ?")
    .pluck()
  const take = prepareTakeLock(db)
  return ({ name, taking, owner, lease, expiresAt, now }) => {
    const job = lease === null ? null : running.get(lease.jobId, lease.token)
    if (job === undefined) return { type: 'lock', outcome: { type: 'stale' } }
    const row = held.get({ name, now })
    if (row?.taking === taking) return { type: 'lock', outcome: { type: 'taken', token: row.token, expiresAt: row.expires_at } }
    if (row?.taking === exclusiveTaking(job)) return { type: 'lock', outcome: { type: 'own' } }
    if (row !== undefined) return { type: 'lock', outcome: { type: 'busy', holder: holderOf(row) } }
    const expiry = expiresAt === null ? null : timeToColumn(expiresAt)
    const token = take({ name, taking, owner, job, jobToken: lease?.token ?? null, now, expiresAt: expiry })
    return { type: 'lock', outcome: { type: 'taken', token, expiresAt: expiry } }
  }
}

/** A lock that is taken now. */
export interface TakenLock {
  readonly name: string
  readonly taking: string
  readonly owner: string
  /** Of a handler: the row of its job, and the token of its lease. */
  readonly job: number | null
  readonly jobToken: number | null
  readonly now: number
  readonly expiresAt: number | null
}

/** Prepares the taking of a lock that nobody holds: it replaces a row that counts no more, and gives the fencing token. */
export function prepareTakeLock(db: Database): (lock: TakenLock) => number {
  const clear = db.prepare<[string]>('DELETE FROM reeve_locks WHERE name = ?')
  const insert = db.prepare<[TakenLock]>(`
    INSERT INTO reeve_locks (name, taking, owner, job, job_token, taken_at, expires_at)
    VALUES (@name, @taking, @owner, @job, @jobToken, @now, @expiresAt)
  `)
  return (lock) => {
    clear.run(lock.name)
    return Number(insert.run(lock).lastInsertRowid)
  }
}

/** Prepares the command for a connection. */
export function prepareUnlock(db: Database): (command: UnlockCommand) => UnlockAnswer {
  const free = db.prepare<[string, string]>('DELETE FROM reeve_locks WHERE name = ? AND taking = ?')
  return ({ name, taking }) => ({ type: 'unlock', released: free.run(name, taking).changes === 1 })
}

/** What a taking with the claim is called: a handler that asks for such a lock of its own job would wait for itself. */
export function exclusiveTaking(job: number | null): string {
  return `exclusive ${job}`
}

function holderOf({ token, owner, job, taken_at, expires_at }: LockRow): LockHolder {
  return { token, owner, jobId: job, takenAt: taken_at, expiresAt: expires_at }
}
