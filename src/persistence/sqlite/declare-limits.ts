/** Declare limits: those that hold over all processes. A limit that has not changed is not written, so that a start is no change. */
import type { Database } from 'better-sqlite3'
import type { GlobalLimit } from '../../job/declared-limits.ts'
import type { DeclareLimitsAnswer, DeclareLimitsCommand } from '../commands/declare-limits.ts'
import { pausedUntil } from './claiming/turns.ts'

/** Prepares the command for a connection. */
export function prepareDeclareLimits(db: Database): (command: DeclareLimitsCommand) => DeclareLimitsAnswer {
  // A job that was claimed before a limit was lowered is not held against it, whatever the clock did since.
  const changedAt = `max(@now, coalesce((SELECT max(claimed_at) + 1 FROM reeve_jobs INDEXED BY reeve_jobs_running WHERE state = 'running'), 0))`
  const write = db.prepare(`
    INSERT INTO reeve_limits (scope, name, concurrency, group_concurrency, rate, group_rate, resource, exclusive, changed_at)
    VALUES (@scope, @name, @concurrency, @groupConcurrency, @rate, @groupRate, @resource, @exclusive, ${changedAt})
    ON CONFLICT DO UPDATE SET concurrency = excluded.concurrency, group_concurrency = excluded.group_concurrency,
      rate = excluded.rate, group_rate = excluded.group_rate, resource = excluded.resource, exclusive = excluded.exclusive,
      changed_at = excluded.changed_at
    WHERE concurrency IS NOT excluded.concurrency OR group_concurrency IS NOT excluded.group_concurrency
      OR rate IS NOT excluded.rate OR group_rate IS NOT excluded.group_rate OR resource IS NOT excluded.resource
      OR exclusive IS NOT excluded.exclusive
  `)
  const forget = db.prepare(`
    DELETE FROM reeve_limits WHERE NOT EXISTS
        (SELECT 1 FROM json_each(@kept) WHERE value ->> 0 = reeve_limits.scope AND value ->> 1 = reeve_limits.name)
      AND ((scope = 'kind' AND name IN (SELECT value FROM json_each(@kinds)))
        OR (scope = 'queue' AND (@queues IS NULL OR name IN (SELECT value FROM json_each(@queues)))))
  `)
  // What an old limit or rate has shut is met again, if it still holds.
  const open = [
    'UPDATE reeve_lanes SET closed = 0 WHERE closed = 1',
    `UPDATE reeve_lanes SET blocked_until = ${pausedUntil} WHERE blocked_until > @now`,
  ].map((sql) => db.prepare(sql))

  return ({ now, limits, kinds, queues }) => {
    const lists = { kinds: JSON.stringify(kinds), queues: queues === null ? null : JSON.stringify(queues) }
    let { changes } = forget.run({ ...lists, kept: JSON.stringify(limits.map(({ scope, name }) => [scope, name])) })
    for (const limit of limits) changes += write.run({ ...columnsOf(limit), now }).changes
    if (changes > 0) for (const statement of open) statement.run(statement === open[0] ? {} : { now })
    return { type: 'limits-declared' }
  }
}

function columnsOf({ rate, groupRate, exclusive, ...limit }: GlobalLimit) {
  return {
    ...limit,
    rate: rate === null ? null : JSON.stringify(rate),
    groupRate: groupRate === null ? null : JSON.stringify(groupRate),
    exclusive: exclusive === null ? null : JSON.stringify(exclusive),
  }
}
