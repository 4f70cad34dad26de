import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)

test('check finds nothing wrong with a database that only Reeve has written', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  await (await runtime.enqueue('echo', 1)).result()
  await runtime.enqueue('echo', 2, { delay: '1h' })
  expect(await runtime.check()).toEqual([])
})

test('check names the invariant and the job where a hand at a prompt has broken one', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const { id } = await runtime.enqueue('echo', 1, { delay: '1h' })
  const hand = new Database(scratch.database)
  hand.pragma('ignore_check_constraints = ON')
  hand.prepare("UPDATE reeve_jobs SET owner = 'nobody' WHERE id = ?").run(id)
  hand.close()
  expect(await runtime.check()).toContainEqual({ invariant: 'running-iff-leased', violator: id })
})
