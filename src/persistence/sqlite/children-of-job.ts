/**
 * The jobs that a handler enqueued: written by the settle that completes its job, and by no other. So a failed attempt leaves
 * none, and a stale settle neither (invariant `settle-is-compare-and-set`).
 */
import type { Database } from 'better-sqlite3'
import type { JobId } from '../../job/lease.ts'
import type { NewJob } from '../../job/new-job.ts'
import type { MovedJob } from '../commands/moved-job.ts'
import { Admission } from './admission.ts'
import { prepareAdmit } from './admit.ts'

interface ParentRow {
  readonly id: JobId
  readonly root: JobId | null
  readonly correlation_id: string | null
}

/**
 * Prepares the inserting for a connection; answers with the jobs that may run or came to their end by it. A child whose unique
 * key is held, and may not be, is left out: nobody is left to be told.
 */
export function prepareChildren(db: Database): (parent: number, children: readonly NewJob[], now: number) => MovedJob[] {
  const admit = prepareAdmit(db)
  const read = db.prepare<[number], ParentRow>('SELECT id, root, correlation_id FROM reeve_jobs WHERE seq = ?')
  return (seq, children, now) => {
    const parent = read.get(seq)
    if (parent === undefined) return []
    const { id, root, correlation_id: correlationId } = parent
    const admission = new Admission(now, false, { parent: id, root: root ?? id, correlationId })
    const moved: MovedJob[] = []
    for (const child of children) {
      const admitted = admit(child, admission)
      const mayRun = !('reason' in admitted) && admitted.result === 'new' && child.after === undefined
      if (mayRun) moved.push({ id: admitted.id, state: 'ready' })
    }
    return [...moved, ...admission.moved]
  }
}
