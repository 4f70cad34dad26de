/**
 * Suspects: jobs that were held when a process died. They are few, or none, so those that are due are read one by one until a
 * gate is open for one. They wait in no lane, but hold the limits of their group like all others.
 */
import type { Database } from 'better-sqlite3'
import type { ClaimCommand } from '../../commands/claim.ts'
import { claimColumns, type DueRow, type QueueScope } from '../due-jobs.ts'
import { type Gates, never } from './gates.ts'
import type { GatedJob } from './held.ts'

const suspects = `FROM reeve_jobs INDEXED BY reeve_jobs_suspects WHERE state = 'ready' AND suspect = 1`

/** The statements, for a test of their plans. */
export const suspectSql = {
  any: `SELECT EXISTS (SELECT 1 ${suspects})`,
  all: `SELECT seq, queue, kind, grp, run_at ${suspects} ORDER BY priority DESC, run_at, seq`,
  job: `SELECT ${claimColumns} FROM reeve_jobs WHERE seq = ?`,
} as const

interface SuspectRow extends GatedJob {
  readonly seq: number
  readonly run_at: number
}

/** Looks at suspects. */
export interface Suspects {
  /** Whether there are any. */
  any(): boolean
  /** The first that is due and may be taken. */
  first(command: ClaimCommand, gates: Gates): DueRow | undefined
  /** Whether one is due and may be taken, and when the next one may be where none is. */
  outlook(command: ClaimCommand, gates: Gates): { readonly due: boolean; readonly nextRunAt: number | null }
}

/** Prepares the looks for a connection. */
export function prepareSuspects(db: Database): Suspects {
  const any = db.prepare<[], number>(suspectSql.any).pluck()
  const all = db.prepare<[], SuspectRow>(suspectSql.all)
  const job = db.prepare<[number], DueRow>(suspectSql.job)

  const inScope = (scope: QueueScope) =>
    all.all().filter(({ queue }) => (scope.queues?.includes(queue) ?? true) && !scope.queuesExcluded.includes(queue))
  const opensAt = (row: SuspectRow, gates: Gates) =>
    isFullHere(row, gates)
      ? never
      : Math.max(row.run_at, gates.opensAt(row), gates.groupPausedUntil(row), gates.groupOpensAt(row))
  return {
    any: () => any.get() === 1,
    first(command, gates) {
      const found = inScope(command).find((row) => row.run_at <= command.now && opensAt(row, gates) <= command.now)
      return found === undefined ? undefined : job.get(found.seq)
    },
    outlook(command, gates) {
      const earliest = inScope(command).reduce((least, row) => Math.min(least, opensAt(row, gates)), never)
      const due = earliest <= command.now
      return { due, nextRunAt: due || earliest === never ? null : Math.ceil(earliest) }
    },
  }
}

function isFullHere({ queue, grp }: SuspectRow, gates: Gates): boolean {
  return grp !== null && gates.groupsFullHere(queue).includes(grp)
}
