/** The statements of a claim, and what is wrong with the plan that SQLite makes for one. */
import type { Database } from 'better-sqlite3'
import { hindranceSql } from '../../../src/persistence/sqlite/claim.ts'
import { breakerSql } from '../../../src/persistence/sqlite/claiming/breakers.ts'
import { gateSql } from '../../../src/persistence/sqlite/claiming/gates.ts'
import { pairSql } from '../../../src/persistence/sqlite/claiming/pairs.ts'
import { rateSql } from '../../../src/persistence/sqlite/claiming/rates.ts'
import { suspectSql } from '../../../src/persistence/sqlite/claiming/suspects.ts'
import { dueSql } from '../../../src/persistence/sqlite/due-jobs.ts'

/** What a scan may read: nothing, a list or a table of few rows, or the first row of an index of the few. */
const few =
  /SCAN (CONSTANT ROW|json_each|reeve_(limits|pauses)\b|reeve_jobs USING (COVERING )?INDEX reeve_jobs_(running|suspects)\b)/
/** The first row of an index: `EXISTS` looks no further. */
const firstRow = /SCAN (reeve_lanes USING (COVERING )?INDEX reeve_lanes_(due|closed)|reeve_breakers)/

const flat = (sql: Readonly<Record<string, string | Readonly<Record<string, string>>>>) =>
  Object.entries(sql).flatMap(([name, one]): [string, string][] =>
    typeof one === 'string' ? [[name, one]] : Object.entries(one).map(([side, each]) => [`${name} ${side}`, each]),
  )

/** Each statement of a claim, by a name. */
export const claimStatements: readonly [name: string, sql: string][] = [
  pairSql,
  gateSql,
  rateSql,
  breakerSql,
  suspectSql,
  dueSql,
  { hindrance: hindranceSql },
].flatMap(flat)

/** The steps of its plan that read what they need not: a scan of a table that may be long, or a sort. */
export function wasteIn(db: Database, sql: string): readonly string[] {
  const named = [...sql.matchAll(/@(\w+)/g)].map(([, name = '']) => [name, 0])
  const parameters = named.length > 0 ? [Object.fromEntries(named)] : [...sql.matchAll(/\?/g)].map(() => 0)
  const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters)
  const bad = plan.map(({ detail }) => detail).filter((detail) => /SCAN|TEMP B-TREE/.test(detail))
  return bad.filter((detail) => !few.test(detail) && !firstRow.test(detail))
}
