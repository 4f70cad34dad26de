/** What must hold of groups and limits at rest, as queries; part of snapshot-invariants.ts. */

const running = "reeve_jobs INDEXED BY reeve_jobs_running WHERE state = 'running'"

/** More than so many that were claimed under the present limit: what ran when it was lowered is not held against it. */
const over = (limit: string) => `HAVING count(*) > ${limit}`
const underIt = 'claimed_at >= changed_at'

/** Of groups: their limits, and that their lanes hide no job. */
export const laneInvariants: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'group-exclusive',
    sql: `SELECT 'group ' || grp || ' of queue ' || queue AS violator FROM (SELECT * FROM ${running} AND grp IS NOT NULL) AS jobs
        JOIN reeve_limits ON group_concurrency IS NOT NULL AND ${underIt}
          AND ((scope = 'kind' AND name = kind) OR (scope = 'queue' AND name = queue))
        GROUP BY scope, name, queue, grp ${over('group_concurrency')}`,
  },
  {
    name: 'limit-respected',
    sql: `SELECT scope || ' ' || name AS violator FROM (SELECT * FROM ${running}) AS jobs
        JOIN reeve_limits ON concurrency IS NOT NULL AND ${underIt}
          AND ((scope = 'kind' AND name = kind) OR (scope = 'queue' AND name = queue) OR (scope = 'resource' AND EXISTS
            (SELECT 1 FROM reeve_limits AS of_kind WHERE of_kind.scope = 'kind' AND of_kind.name = jobs.kind
              AND of_kind.resource = reeve_limits.name AND jobs.claimed_at >= of_kind.changed_at)))
        GROUP BY scope, name ${over('concurrency')}`,
  },
  {
    // A lane with a wrong head, or that stays closed, hides its jobs; so does a job in no lane, or in another one's.
    name: 'no-starvation',
    sql: `SELECT 'lane ' || lanes.id AS violator FROM reeve_lanes AS lanes WHERE head IS NOT
          (SELECT min(run_at) FROM reeve_jobs WHERE lane = lanes.id AND lane IS NOT NULL AND state = 'ready' AND suspect = 0)
        UNION ALL SELECT 'lane ' || lanes.id FROM reeve_lanes AS lanes WHERE closed = 1 AND NOT EXISTS
          (SELECT 1 FROM ${running} AND reeve_jobs.queue = lanes.queue AND reeve_jobs.grp = lanes.grp)
        UNION ALL SELECT jobs.id FROM reeve_jobs AS jobs LEFT JOIN reeve_lanes AS lanes ON lanes.id = jobs.lane
          WHERE (jobs.settled_at IS NULL AND jobs.grp IS NOT NULL AND (lanes.id IS NULL OR lanes.queue <> jobs.queue
            OR lanes.grp <> jobs.grp OR lanes.kind <> jobs.kind OR lanes.priority <> jobs.priority))
          OR (jobs.lane IS NOT NULL AND (jobs.grp IS NULL OR jobs.settled_at IS NOT NULL))`,
  },
]

/** Lanes that nobody is in: each group that was ever seen would leave one. */
export const orphanLanes = `SELECT 'lane ' || id FROM reeve_lanes AS lanes
        WHERE NOT EXISTS (SELECT 1 FROM reeve_jobs WHERE lane = lanes.id AND lane IS NOT NULL)`
