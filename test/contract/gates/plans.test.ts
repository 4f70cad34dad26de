import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../support/markdown.ts'
import { claimStatements, wasteIn } from '../../support/store/claim-plans.ts'
import { openConnection } from '../../support/store/scratch.ts'

test.each(claimStatements)('of a claim, %s seeks: no scan of a table, no sort', (_, sql) => {
  expect(wasteIn(openConnection(), sql)).toEqual([])
})

/** Each statement of the store that updates jobs, with the file that it is in. */
function updatesOfJobs(): readonly { readonly file: string; readonly sql: string }[] {
  const folder = join(root, 'src/persistence/sqlite')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  return files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/UPDATE (?:OR \w+ )?reeve_jobs SET [^;`]*/g)].map(([sql]) => ({
      file,
      sql,
    })),
  )
}

test('every statement that ends a job tells the steps that wait for it, or ends jobs without hooks only', () => {
  const ends = updatesOfJobs().filter(({ sql }) => /\bsettled_at = (?!NULL)/.test(sql.split('WHERE')[0] ?? ''))
  expect(ends.length).toBeGreaterThan(4)
  expect(ends.filter(({ sql }) => !/hooks = hooks|AND hooks = 0/.test(sql))).toEqual([])
})

test('every statement that moves a job keeps its lane, or moves jobs without one only', () => {
  const moves = updatesOfJobs().filter(({ sql }) =>
    /\b(state|run_at|suspect|grp|queue|kind|priority) = /.test(sql.split('WHERE')[0] ?? ''),
  )
  expect(moves.length).toBeGreaterThan(5)
  // A claim keeps the lane that it takes from in the same write as its turn; `more` of a settle is that it leaves its lane.
  const kept = moves.filter(({ file, sql }) => file !== 'claim.ts' && !/lane = lane|grp IS NULL|\$\{more\}/.test(sql))
  expect(kept).toEqual([])
})
