/** The bound on how many jobs of a queue wait. Counted by index, and never further than the bound. */
import type { Database } from 'better-sqlite3'
import type { NewJob } from '../../job/new-job.ts'
import type { EnqueueRefusal } from '../commands/enqueue.ts'

/** Prepares a look at the queues of jobs that were just inserted: the first one that has more `ready` jobs than it may, or null. */
export function prepareDepthBound(
  db: Database,
): (jobs: readonly NewJob[], depthMax: Readonly<Record<string, number>>) => EnqueueRefusal | null {
  const plain = db
    .prepare<[string, number], number>(`
      SELECT count(*) FROM (SELECT 1 FROM reeve_jobs INDEXED BY reeve_jobs_ready_by_kind
        WHERE state = 'ready' AND suspect = 0 AND grp IS NULL AND queue = ? LIMIT ?)
    `)
    .pluck()
  const inLanes = db
    .prepare<[string, number], number>(`
      SELECT count(*) FROM (SELECT 1 FROM reeve_lanes JOIN reeve_jobs INDEXED BY reeve_jobs_ready_in_lane ON lane = reeve_lanes.id
        WHERE reeve_lanes.queue = ? AND reeve_lanes.head IS NOT NULL AND state = 'ready' AND suspect = 0 AND lane IS NOT NULL LIMIT ?)
    `)
    .pluck()
  return (jobs, depthMax) => {
    for (const queue of new Set(jobs.map(({ queue }) => queue))) {
      const max = Object.hasOwn(depthMax, queue) ? depthMax[queue] : undefined
      if (max === undefined) continue
      let depth = plain.get(queue, max + 1) ?? 0
      if (depth <= max) depth += inLanes.get(queue, max + 1 - depth) ?? 0
      const adds = jobs.filter((job) => job.queue === queue).length
      if (depth > max) return { reason: 'full', queue, depthMax: max, adds }
    }
    return null
  }
}
