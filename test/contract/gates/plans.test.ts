import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hindranceSql } from '../../../src/persistence/sqlite/claim.ts'
import { breakerSql } from '../../../src/persistence/sqlite/claiming/breakers.ts'
import { gateSql } from '../../../src/persistence/sqlite/claiming/gates.ts'
import { pairSql } from '../../../src/persistence/sqlite/claiming/pairs.ts'
import { rateSql } from '../../../src/persistence/sqlite/claiming/rates.ts'
import { suspectSql } from '../../../src/persistence/sqlite/claiming/suspects.ts'
import { dueSql } from '../../../src/persistence/sqlite/due-jobs.ts'
import { root } from '../../support/markdown.ts'
import { openConnection } from '../../support/store/scratch.ts'

/** What a scan may read: nothing, a list or a table of few rows, or the first row of an index of the few. */
const few =
  /SCAN (CONSTANT ROW|json_each|reeve_(limits|pauses)\b|reeve_jobs USING (COVERING )?INDEX reeve_jobs_(running|suspects)\b)/
/** The first row of an index: `EXISTS` looks no further. */
const firstRow = /SCAN (reeve_lanes USING (COVERING )?INDEX reeve_lanes_(due|closed)|reeve_breakers)/

const flat = (sql: Readonly<Record<string, string | Readonly<Record<string, string>>>>) =>
  Object.entries(sql).flatMap(([name, one]): [string, string][] =>
    typeof one === 'string' ? [[name, one]] : Object.entries(one).map(([side, each]) => [`${name} ${side}`, each]),
  )
const statements = [pairSql, gateSql, rateSql, breakerSql, suspectSql, dueSql, { hindrance: hindranceSql }].flatMap(flat)

test.each(statements)('of a claim, %s seeks: no scan of a table, no sort', (_, sql) => {
  const db = openConnection()
  const named = [...sql.matchAll(/@(\w+)/g)].map(([, name = '']) => [name, 0])
  const parameters = named.length > 0 ? [Object.fromEntries(named)] : [...sql.matchAll(/\?/g)].map(() => 0)
  const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters)
  const bad = plan.map(({ detail }) => detail).filter((detail) => /SCAN|TEMP B-TREE/.test(detail))
  expect(bad.filter((detail) => !few.test(detail) && !firstRow.test(detail))).toEqual([])
})

test('every statement that moves a job keeps its lane, or moves jobs without one only', () => {
  const folder = join(root, 'src/persistence/sqlite')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const moves = files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/UPDATE (?:OR \w+ )?reeve_jobs SET [^;`]*/g)]
      .map(([sql]) => sql)
      .filter((sql) => /\b(state|run_at|suspect|grp|queue|kind|priority) = /.test(sql.split('WHERE')[0] ?? ''))
      .map((sql) => ({ file, sql })),
  )
  expect(moves.length).toBeGreaterThan(5)
  // A claim keeps the lane that it takes from in the same write as its turn; `more` of a settle is that it leaves its lane.
  const kept = moves.filter(({ file, sql }) => file !== 'claim.ts' && !/lane = lane|grp IS NULL|\$\{more\}/.test(sql))
  expect(kept).toEqual([])
})
