/** Renew: moves the expiry of a lease and nothing else, and only for the owner and the token that hold it now. */
import type { Database } from 'better-sqlite3'
import type { RenewAnswer, RenewCommand } from '../commands/renew.ts'
import { timeToColumn } from './job-columns.ts'

/** Prepares the command for a connection. */
export function prepareRenew(db: Database): (command: RenewCommand) => RenewAnswer {
  const renew = db.prepare(`
    UPDATE reeve_jobs SET lease_expires_at = ? WHERE id = ? AND state = 'running' AND token = ? AND owner = ?
  `)
  return ({ leases, owner, leaseExpiresAt }) => {
    const expiry = timeToColumn(leaseExpiresAt)
    const lost = leases.filter(({ jobId, token }) => renew.run(expiry, jobId, token, owner).changes === 0)
    return { type: 'renewed', lost }
  }
}
