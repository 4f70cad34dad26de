import { expect, test } from 'vitest'
import { claimStatements, wasteIn } from '../../support/store/claim-plans.ts'
import { ask, claim, enqueue, newJob } from '../../support/store/commands.ts'
import { openStore, plainConnection } from '../../support/store/scratch.ts'

const jobs = 1_000_000
const batch = 1_000
const groups = 100_000

test('among a million jobs, of which every second has one of 100,000 groups, a claim seeks as it does among few, with statistics or without', async () => {
  const store = openStore({ durability: 'process' })
  for (let first = 0; first < jobs; first += batch) {
    const numbers = Array.from({ length: batch }, (_, index) => first + index)
    await ask(store, enqueue(...numbers.map((n) => newJob(`job-${n}`, { group: n % 2 === 0 ? `group-${n % groups}` : null }))))
  }
  const db = plainConnection(store.file)
  expect(db.prepare('SELECT count(*) FROM reeve_jobs').pluck().get()).toBe(jobs)
  const wasted = () => claimStatements.flatMap(([name, sql]) => wasteIn(db, sql).map((step) => `${name}: ${step}`))
  expect(wasted()).toEqual([])
  db.exec('ANALYZE')
  expect(wasted()).toEqual([])
  expect((await ask(store, claim({ limit: 16 }))).jobs).toHaveLength(16)
})
