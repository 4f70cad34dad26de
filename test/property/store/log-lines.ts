/** Kept log lines: what the model says of them, and the invariants of one `log` command. */
import { isDeepStrictEqual } from 'node:util'
import type { Database } from 'better-sqlite3'
import type { Command } from '../../../src/persistence/commands/command.ts'
import type { LogCommand } from '../../../src/persistence/commands/log.ts'
import type { StoredLine } from '../../../src/persistence/job-log.ts'
import type { JobRow } from '../../../src/persistence/job-row.ts'

/** A line with the job that it is of. */
export type LoggedLine = StoredLine & { readonly job: string }

/** The lines of a job after a command that took effect: those of before and the new ones, once each, the latest `keep` of them. */
export function linesAfter(lines: readonly LoggedLine[], { lease, attempt, lines: said, keep }: LogCommand): LoggedLine[] {
  const { jobId: job, token } = lease
  const added = said.filter(({ line }) => !lines.some((old) => old.token === token && old.line === line))
  const all = [...lines, ...added.map((line) => ({ ...line, job, token, attempt }))]
  return all.toSorted((a, b) => a.token - b.token || a.line - b.line).slice(-keep)
}

/** Reads all kept lines, by job, in order. */
export function prepareLines(db: Database): () => LoggedLine[] {
  const lines = db.prepare<[], LoggedLine>(`
    SELECT id AS job, reeve_logs.token, line, reeve_logs.attempt, at, level, message, fields
    FROM reeve_logs JOIN reeve_jobs ON seq = job ORDER BY seq, reeve_logs.token, line
  `)
  return () => lines.all()
}

/** The invariant that a command alone in its commit breaks by what it does to the lines, or null. */
export function brokenLines(
  command: Command,
  rows: readonly JobRow[],
  before: readonly LoggedLine[],
  after: readonly LoggedLine[],
): string | null {
  if (isDeepStrictEqual(before, after)) return null
  // A job that is deleted, or pruned, takes all of its lines with it.
  const left = before.filter(({ job }) => after.some((line) => line.job === job))
  if ((command.type === 'steer' || command.type === 'prune') && isDeepStrictEqual(left, after)) return null
  if (command.type !== 'log') return 'settle-is-compare-and-set'
  const { lease } = command
  const holds = rows.some(({ id, token, state }) => id === lease.jobId && token === lease.token && state === 'running')
  return holds ? null : 'settle-is-compare-and-set'
}
