/** Ties a new job to those that it waits for. Those that are over count at once, as if they had ended a moment later. */
import type { Database } from 'better-sqlite3'
import { dependencyError, endAfter, type NewDependencies } from '../../job/flow.ts'
import type { JobId } from '../../job/lease.ts'
import type { NewJob } from '../../job/new-job.ts'
import { isTerminal, type JobState } from '../../job/state.ts'
import type { Admission } from './admission.ts'
import { prepareEnded, prepareEndUnrun } from './ended.ts'

interface NeededRow {
  readonly seq: number
  readonly id: JobId
  readonly kind: string
  readonly state: JobState
}

/** The jobs that a new one waits for, as they stand now. */
export interface Needs {
  /** Those that are not over. */
  readonly live: readonly NeededRow[]
  readonly over: readonly NeededRow[]
  /** The first that is not there. Nobody can name a job before it is, itself included: so there is no cycle. */
  readonly missing: JobId | null
}

/** A job that others were to run after, and that did not complete. */
export interface FailedNeed {
  readonly id: JobId
  readonly kind?: string
  readonly state: JobState | null
}

/** What of the needs of a new job ends it before it can run; null where nothing does. */
export function failedOf({ over, missing }: Needs, after: NewDependencies | undefined): FailedNeed | null {
  if (after === undefined || after.ifFailed === 'run') return null
  if (missing !== null) return { id: missing, state: null }
  return over.find(({ state }) => endAfter(state, after.ifFailed) !== null) ?? null
}

/** Prepares it for a connection. */
export function prepareDependencies(db: Database) {
  const byId = db.prepare<[JobId], NeededRow>('SELECT seq, id, kind, state FROM reeve_jobs WHERE id = ?')
  const byRow = db.prepare<[number], NeededRow>('SELECT seq, id, kind, state FROM reeve_jobs WHERE seq = ?')
  const insert = db.prepare<[number, number]>('INSERT OR IGNORE INTO reeve_dependencies (job, needs) VALUES (?, ?)')
  const hook = db.prepare<[number]>('UPDATE reeve_jobs SET hooks = 1 WHERE seq = ? AND hooks = 0')
  const endUnrun = prepareEndUnrun(db)
  const ended = prepareEnded(db)

  return {
    /** Looks up whom a job waits for, before it is inserted. */
    needsOf({ after }: NewJob, { rows, standIns }: Admission): Needs {
      if (after === undefined) return { live: [], over: [], missing: null }
      const { jobs } = after
      const found = jobs === 'batch' ? rows.map((row) => byRow.get(row)) : jobs.map((id) => byId.get(standIns.get(id) ?? id))
      const there = found.filter((row) => row !== undefined)
      const missing = jobs === 'batch' ? undefined : jobs[found.indexOf(undefined)]
      return {
        live: there.filter(({ state }) => !isTerminal(state)),
        over: there.filter(({ state }) => isTerminal(state)),
        missing: missing ?? null,
      }
    },
    /** From now on the row waits for these. */
    depend(seq: number, live: readonly NeededRow[]): void {
      for (const needed of live) {
        insert.run(seq, needed.seq)
        hook.run(needed.seq)
      }
    },
    /** Ends a row that was just inserted. */
    failAtBirth(seq: number, { id, after }: NewJob, failed: FailedNeed, { now, moved }: Admission): void {
      const state = after?.ifFailed === 'cancel' ? 'cancelled' : 'discarded'
      endUnrun(seq, state, JSON.stringify(dependencyError(failed)), now)
      moved.push({ id, state }, ...ended(seq, state, now))
    },
  }
}
