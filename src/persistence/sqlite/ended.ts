/**
 * What ends with a job, in the transaction of whichever verb ended it: its unique key is free, its follow-up may run, and
 * the jobs that wait for it go on or come to their end with it. One place for all of it, so that no verb can forget a part
 * (invariant `one-transaction-frees-all`). A job with `hooks = 0` has nothing of this kind, and nearly all jobs are such.
 */
import type { Database } from 'better-sqlite3'
import { type AfterFailed, dependencyError, endAfter } from '../../job/flow.ts'
import type { JobId } from '../../job/lease.ts'
import type { TerminalState } from '../../job/state.ts'
import { holdsWhenOver, type UniqueHold } from '../../job/unique-key.ts'
import type { MovedJob } from '../commands/moved-job.ts'

/** Follows up the end of the job `seq`, which is in that state already. Answers with every other job that it moved. */
export type Ended = (seq: number, state: TerminalState, now: number) => MovedJob[]

/** Makes the follow-up of a key ready and gives it the key; null where there is none. The key must be free. */
export type HandOver = (key: string, now: number) => MovedJob | null

interface EndedRow {
  readonly id: JobId
  readonly kind: string
  readonly unique_key: string | null
  readonly unique_holds: 0 | 1
  readonly unique_while: UniqueHold | null
}

interface DependentRow {
  readonly seq: number
  readonly id: JobId
  readonly after_failed: AfterFailed
}

/** Prepares it for a connection. */
export function prepareEnded(db: Database): Ended {
  const read = db.prepare<[number], EndedRow>(
    'SELECT id, kind, unique_key, unique_holds, unique_while FROM reeve_jobs WHERE seq = ?',
  )
  const freeKey = db.prepare<[number]>('UPDATE reeve_jobs SET unique_holds = 0 WHERE seq = ?')
  const waitsNoMore = db.prepare<[number]>('UPDATE reeve_jobs SET follow_key = NULL WHERE seq = ? AND follow_key IS NOT NULL')
  const needsNoMore = db.prepare<[number]>('DELETE FROM reeve_dependencies WHERE job = ?')
  const hasFollowUp = db.prepare<[string], number>('SELECT 1 FROM reeve_jobs WHERE follow_key = ?').pluck()
  const handOver = prepareHandOver(db)
  const endDependents = prepareDependents(db)

  /** Of a key that is held on (a window, a cached result) a follow-up is still the heir. */
  const freed = (seq: number, row: EndedRow, state: TerminalState, now: number): MovedJob | null => {
    if (row.unique_key === null || row.unique_while === null || row.unique_holds === 0) return null
    if (holdsWhenOver(row.unique_while, state) && hasFollowUp.get(row.unique_key) === undefined) return null
    freeKey.run(seq)
    return handOver(row.unique_key, now)
  }

  return (first, firstState, now) => {
    const moved: MovedJob[] = []
    // It grows while it is walked. Not a recursion: a chain of jobs may be longer than the stack is deep.
    const over: { readonly seq: number; readonly state: TerminalState }[] = [{ seq: first, state: firstState }]
    for (const job of over) {
      const row = read.get(job.seq)
      if (row === undefined) continue
      waitsNoMore.run(job.seq)
      needsNoMore.run(job.seq)
      const heir = freed(job.seq, row, job.state, now)
      if (heir !== null) moved.push(heir)
      for (const { seq, id, state } of endDependents({ ...row, seq: job.seq, state: job.state }, now)) {
        moved.push({ id, state })
        if (state !== 'ready') over.push({ seq, state })
      }
    }
    return moved
  }
}

/** Prepares the hand-over of a key for a connection. A follow-up whose own window has passed holds nothing. */
export function prepareHandOver(db: Database): HandOver {
  const release = db.prepare<[number, string], { readonly id: JobId }>(`
    UPDATE reeve_jobs SET state = 'ready', lane = lane, unique_holds = iif(unique_until <= ?, 0, 1), follow_key = NULL
    WHERE follow_key = ? RETURNING id
  `)
  return (key, now) => {
    const row = release.get(now, key)
    return row === undefined ? null : { id: row.id, state: 'ready' }
  }
}

/** The job that others needed, with where it went. */
interface Needed {
  readonly seq: number
  readonly id: JobId
  readonly kind: string
  readonly state: TerminalState
}

function prepareDependents(db: Database) {
  const dependents = db.prepare<[number], DependentRow>(`
    SELECT seq, id, after_failed FROM reeve_dependencies JOIN reeve_jobs ON seq = job WHERE needs = ? ORDER BY seq
  `)
  const isOver = db.prepare<[number]>('DELETE FROM reeve_dependencies WHERE needs = ?')
  const stillNeeds = db.prepare<[number], number>('SELECT 1 FROM reeve_dependencies WHERE job = ? LIMIT 1').pluck()
  const release = db.prepare<[number]>("UPDATE reeve_jobs SET state = 'ready', lane = lane WHERE seq = ?")
  const end = prepareEndUnrun(db)

  return (needed: Needed, now: number): (MovedJob & { readonly seq: number })[] => {
    const rows = dependents.all(needed.seq)
    if (rows.length === 0) return []
    isOver.run(needed.seq)
    return rows.flatMap(({ seq, id, after_failed }): (MovedJob & { readonly seq: number })[] => {
      const state = endAfter(needed.state, after_failed)
      if (state !== null) {
        end(seq, state, JSON.stringify(dependencyError(needed)), now)
        return [{ seq, id, state }]
      }
      if (stillNeeds.get(seq) !== undefined) return []
      release.run(seq)
      return [{ seq, id, state: 'ready' }]
    })
  }
}

/** Prepares the end of a job that waited for one that failed. It counts as settled, so that no cancel is taken for what ended it. */
export function prepareEndUnrun(
  db: Database,
): (seq: number, state: 'discarded' | 'cancelled', error: string, now: number) => void {
  const end = db.prepare<[string, string, number, number]>(`
    UPDATE reeve_jobs SET state = ?, error = ?, settled_at = ?, settled_token = token, settled_run_at = NULL, lane = lane, hooks = hooks WHERE seq = ?
  `)
  return (seq, state, error, now) => void end.run(state, error, now, seq)
}
