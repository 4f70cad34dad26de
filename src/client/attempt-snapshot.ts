/** An entry of a job's history as `runtime.attempts` shows it. */
import type { AttemptRow } from '../persistence/attempt-row.ts'
import { reviveError } from '../threads/revive-error.ts'

/** One attempt of a job, or one act by hand. Times are milliseconds since the Unix epoch. */
export interface AttemptSnapshot extends Omit<AttemptRow, 'error' | 'owner'> {
  /** From the start of the handler; null where either end is not known. */
  readonly durationMs: number | null
  /** The incarnation of the supervisor that ran it; null for a completed attempt, and for what was done by hand. */
  readonly owner: string | null
  readonly error: Error | null
}

/** Decodes a row. */
export function attemptSnapshotOf(row: AttemptRow): AttemptSnapshot {
  const { startedAt, endedAt } = row
  return {
    ...row,
    durationMs: startedAt === null || endedAt === null ? null : Math.max(endedAt - startedAt, 0),
    error: row.error === null ? null : reviveError(row.error),
  }
}
