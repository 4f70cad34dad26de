/** Stores with a mistake in their groups, limits, rates and pauses. */
import type { Command } from '../../../src/persistence/commands/command.ts'
import { type Bend, bent, type WrongStore } from './bent-store.ts'

/** Puts something out of the way of each claim, and back. */
function hiding(table: string, columns: string): Bend {
  const copy = `temp.hidden_${table}`
  const claims = (commands: readonly Command[]) => commands.some(({ type }) => type === 'claim')
  return {
    before(commands, db) {
      if (!claims(commands)) return
      db.exec(
        `DROP TABLE IF EXISTS ${copy}; CREATE TEMP TABLE hidden_${table} AS SELECT ${columns} FROM ${table}; DELETE FROM ${table}`,
      )
    },
    after(commands, _, db) {
      if (claims(commands)) db.exec(`INSERT OR IGNORE INTO ${table} (${columns}) SELECT ${columns} FROM ${copy}`)
    },
  }
}

const afterClaims = (sql: string): Bend => ({
  after: (commands, _, db) => void (commands.some(({ type }) => type === 'claim') && db.exec(sql)),
})
const beforeClaims = (sql: string): Bend => ({
  before: (commands, db) => void (commands.some(({ type }) => type === 'claim') && db.exec(sql)),
})

/** Each process leaves so much more room as the others take. */
const othersUnseen: Bend = {
  before(commands, db) {
    for (const command of commands) {
      if (command.type !== 'claim') continue
      db.prepare(`UPDATE reeve_limits SET concurrency = concurrency + (SELECT count(*) FROM reeve_jobs
        WHERE state = 'running' AND owner <> ? AND iif(scope = 'kind', kind, queue) = name)`).run(command.owner)
    }
  },
}

/** All of them. */
export const wrongGates: readonly WrongStore[] = [
  bent('counts only what its own process runs', ['limit-respected'], othersUnseen, 'gated'),
  bent(
    'ignores the limits of groups',
    ['group-exclusive'],
    beforeClaims('UPDATE reeve_limits SET group_concurrency = 99 WHERE group_concurrency IS NOT NULL'),
    'gated',
  ),
  bent(
    'claims of a paused queue',
    ['claim-precondition'],
    hiding('reeve_pauses', 'scope, queue, name, until, delay_ms, reason'),
    'gated',
  ),
  bent('forgets the hits of a rate', ['limit-respected'], afterClaims('DELETE FROM reeve_rate_hits'), 'gated'),
  bent(
    'goes by due time where groups should take turns',
    ['no-starvation', 'claim-order'],
    beforeClaims('UPDATE reeve_lanes SET served = id'),
    'gated',
  ),
  bent(
    'leaves the head of a lane as it was',
    ['no-starvation'],
    afterClaims('UPDATE reeve_lanes SET head = head + 100000 WHERE head IS NOT NULL'),
    'gated',
  ),
  bent(
    'never opens a group that was closed',
    ['no-starvation'],
    afterClaims(
      "UPDATE reeve_lanes SET closed = 1 WHERE id IN (SELECT lane FROM reeve_jobs WHERE state = 'ready' AND lane IS NOT NULL)",
    ),
    'gated',
  ),
]
