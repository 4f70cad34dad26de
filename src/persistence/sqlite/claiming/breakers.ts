/**
 * Breakers that are not closed, as gates: shut until the cooldown is over, then open for one job, the trial. It holds the gate for as
 * long as it runs under its lease; so where it ends without a word on the matter, or its process dies, the next one is let through.
 */
import type { Database } from 'better-sqlite3'
import type { JobId } from '../../../job/lease.ts'
import type { ClaimCommand } from '../../commands/claim.ts'

/** The statements, for a test of their plans. */
export const breakerSql = {
  anyOpen: 'SELECT EXISTS (SELECT 1 FROM reeve_breakers INDEXED BY reeve_breakers_open WHERE open_until IS NOT NULL)',
  open: `SELECT kind, open_until, trial, trial_token FROM reeve_breakers INDEXED BY reeve_breakers_open
    WHERE open_until IS NOT NULL AND kind = ?`,
  trial: "SELECT owner, claim_number FROM reeve_jobs WHERE id = ? AND token = ? AND state = 'running'",
  let: 'UPDATE reeve_breakers SET trial = ?, trial_token = ? WHERE kind = ?',
} as const

interface OpenRow {
  readonly kind: string
  readonly open_until: number
  readonly trial: string | null
  readonly trial_token: number | null
}

/** Whose claim it is, and the number of the claim whose own jobs do not count. */
export type BreakerScope = Pick<ClaimCommand, 'owner' | 'now' | 'breakers'> & {
  readonly before?: { readonly claimNumber: number }
}

/** A job that was taken, with its token as it was before. */
interface TakenJob {
  readonly id: JobId
  readonly kind: string
  readonly token: number
}

/** The breakers of one claim. */
export interface BreakerGates {
  /** Whether the breaker of a kind is not closed. */
  isOn(kind: string): boolean
  /** When a job of the kind may be taken: `Infinity` while another one is being tried. */
  opensAt(kind: string): number
  taken(job: TakenJob): void
}

/** Prepares the gates for a connection. */
export function prepareBreakerGates(db: Database): (scope: BreakerScope) => BreakerGates {
  const open = db.prepare<[string], OpenRow>(breakerSql.open)
  const trial = db.prepare<[string, number], { owner: string; claim_number: number }>(breakerSql.trial)
  const letThrough = db.prepare(breakerSql.let)
  const isTried = ({ trial: id, trial_token: token }: OpenRow, { owner, before }: BreakerScope) => {
    const row = id === null || token === null ? undefined : trial.get(id, token)
    return row !== undefined && (row.owner !== owner || row.claim_number !== before?.claimNumber)
  }
  return (scope) => {
    const rows = new Map(
      scope.breakers
        .map((kind) => open.get(kind))
        .filter((row) => row !== undefined)
        .map((row) => [row.kind, row]),
    )
    return {
      isOn: (kind) => rows.has(kind),
      opensAt(kind) {
        const row = rows.get(kind)
        if (row === undefined) return 0
        if (row.open_until > scope.now) return row.open_until
        return isTried(row, scope) ? Number.POSITIVE_INFINITY : 0
      },
      taken({ id, kind, token }) {
        const row = rows.get(kind)
        if (row === undefined) return
        letThrough.run(id, token + 1, kind)
        rows.set(kind, { ...row, trial: id, trial_token: token + 1 })
      },
    }
  }
}

/** Prepares the look whether any breaker is not closed. */
export function prepareAnyOpen(db: Database): () => boolean {
  const anyOpen = db.prepare<[], number>(breakerSql.anyOpen).pluck()
  return () => anyOpen.get() === 1
}
