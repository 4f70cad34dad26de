/**
 * Admits one job into the table, with whatever it is tied to: a unique key, jobs that it waits for, a family. A plain job is
 * one insert; only a job with ties is written twice, first as a row, then with its ties.
 */
import type { Database } from 'better-sqlite3'
import type { JobId } from '../../job/lease.ts'
import type { NewJob } from '../../job/new-job.ts'
import type { EnqueueRefusal, EnqueueResult } from '../commands/enqueue.ts'
import type { Admission, Family } from './admission.ts'
import { failedOf, prepareDependencies } from './dependencies.ts'
import { prepareInsertJob } from './insert-job.ts'
import { dueAt } from './replace.ts'
import { prepareUnique, type UniqueJob } from './unique.ts'

/** The job that stands for one that was given, or why it was refused. */
export type Admitted = { readonly id: JobId; readonly kind: string; readonly result: EnqueueResult } | EnqueueRefusal

/** Prepares the admission for a connection. */
export function prepareAdmit(db: Database): (job: NewJob, admission: Admission) => Admitted {
  const insert = prepareInsertJob(db)
  const known = db.prepare<[JobId], { seq: number; follow_key: string | null }>(
    'SELECT seq, follow_key FROM reeve_jobs WHERE id = ?',
  )
  const decide = prepareUnique(db)
  const tie = prepareTie(db)
  const { needsOf, depend, failAtBirth } = prepareDependencies(db)

  const inserted = (job: NewJob, admission: Admission, follows: boolean): Admitted => {
    const { now, rows, family } = admission
    const needs = needsOf(job, admission)
    // A child is written by the settle of its parent, where nobody is left to be told: there it counts as one that failed.
    if (needs.missing !== null && family === null) return { reason: 'dependency-missing', kind: job.kind, needed: needs.missing }
    const failed = failedOf(needs, job.after)
    const waits = follows || needs.live.length > 0 || failed !== null
    const seq = insert({ ...job, runAt: dueAt(job, now) }, waits ? 'suspended' : 'ready', now)
    if (seq === null) return { id: job.id, kind: job.kind, result: 'new' }
    admission.inserted++
    rows.push(seq)
    tie(seq, job, family, follows)
    if (failed === null) depend(seq, needs.live)
    else failAtBirth(seq, job, failed, admission)
    return { id: job.id, kind: job.kind, result: follows ? 'follow-up' : 'new' }
  }

  return (job, admission) => {
    if (isPlain(job) && admission.family === null) {
      const seq = insert(job, 'ready', admission.now)
      if (seq !== null) {
        admission.inserted++
        admission.rows.push(seq)
        return { id: job.id, kind: job.kind, result: 'new' }
      }
    }
    const before = known.get(job.id)
    if (before !== undefined) {
      admission.rows.push(before.seq)
      return { id: job.id, kind: job.kind, result: before.follow_key === null ? 'new' : 'follow-up' }
    }
    if (!isUnique(job)) return inserted(job, admission, false)
    const verdict = decide(job, admission.now, admission.repeated, admission.moved)
    switch (verdict.type) {
      case 'duplicate':
        return { reason: 'duplicate', kind: job.kind, key: job.unique.key, holder: verdict.holder }
      case 'existing':
      case 'replaced': {
        const row = known.get(verdict.id)
        if (row !== undefined) admission.rows.push(row.seq)
        admission.standIns.set(job.id, verdict.id)
        return { id: verdict.id, kind: verdict.kind, result: verdict.type }
      }
      default:
        return inserted(job, admission, verdict.type === 'follow-up')
    }
  }
}

function isPlain(job: NewJob): boolean {
  return job.unique === undefined && job.after === undefined && job.correlationId === undefined
}

function isUnique(job: NewJob): job is UniqueJob {
  return job.unique !== undefined
}

/** Writes the ties of a row that was just inserted. */
function prepareTie(db: Database) {
  const write = db.prepare(`
    UPDATE reeve_jobs SET hooks = ?, unique_key = ?, unique_holds = ?, unique_while = ?, unique_until = ?, follow_key = ?,
      after_failed = ?, parent = ?, root = ?, correlation_id = ?
    WHERE seq = ?
  `)
  return (seq: number, { unique, after, correlationId }: NewJob, family: Family | null, follows: boolean) => {
    const key = unique?.key ?? null
    write.run(
      unique === undefined && after === undefined ? 0 : 1,
      key,
      unique === undefined || follows ? 0 : 1,
      unique?.hold ?? null,
      unique?.until ?? null,
      follows ? key : null,
      after?.ifFailed ?? null,
      family?.parent ?? null,
      family?.root ?? null,
      correlationId ?? family?.correlationId ?? null,
      seq,
    )
  }
}
