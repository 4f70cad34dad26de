/**
 * Invoke: a job that another one waits for. It is enqueued in the transaction that writes the wait, so there is neither without
 * the other; the end of the wait is a trigger of the schema.
 */
import type { Database } from 'better-sqlite3'
import type { JobId } from '../../job/lease.ts'
import type { NewJob } from '../../job/new-job.ts'
import { prepareEnqueue } from './enqueue.ts'

interface ParentRow {
  readonly id: JobId
  readonly root: JobId | null
  readonly correlation_id: string | null
}

/** Prepares it for a connection: enqueues `child` for the step `name` of the job `parent`. */
export function prepareInvoke(db: Database): (parent: number, name: string, child: NewJob, now: number) => void {
  const enqueue = prepareEnqueue(db)
  const read = db.prepare<[number], ParentRow>('SELECT id, root, correlation_id FROM reeve_jobs WHERE seq = ?')
  const tie = db.prepare('UPDATE reeve_jobs SET hooks = 1, parent = ?, root = ?, correlation_id = ? WHERE id = ?')
  const waitFor = db.prepare('UPDATE reeve_steps SET child = ? WHERE job = ? AND name = ?')
  return (seq, name, child, now) => {
    const parent = read.get(seq)
    if (parent === undefined) return
    enqueue({ type: 'enqueue', now, jobs: [child] }, false)
    tie.run(parent.id, parent.root ?? parent.id, parent.correlation_id, child.id)
    waitFor.run(child.id, seq, name)
  }
}
