import { expect, test } from 'vitest'
import { ask, claimOne, complete, enqueue, jobId, newJob, settle } from '../support/store/commands.ts'
import { openStore } from '../support/store/scratch.ts'

test('finished tells the ended jobs and the unknown ids, and leaves out those that go on', async () => {
  const store = openStore()
  await ask(store, enqueue(newJob('done'), newJob('waits')))
  await ask(store, settle((await claimOne(store)).lease, complete))
  const found = await store.finished(['done', 'waits', 'unknown'].map(jobId))
  expect([...found.keys()]).toEqual(['done', 'unknown'])
  expect(found.get(jobId('done'))).toEqual(await store.job(jobId('done')))
  expect(found.get(jobId('unknown'))).toBeNull()
})

test('changedElsewhere tells the commits of others, once, and not its own', async () => {
  const store = openStore()
  const other = openStore({ database: store.file })
  // Opening may have committed.
  store.changedElsewhere()
  await ask(store, enqueue(newJob('a')))
  expect(store.changedElsewhere()).toBe(false)
  await ask(other, enqueue(newJob('b')))
  expect(store.changedElsewhere()).toBe(true)
  expect(store.changedElsewhere()).toBe(false)
})

test('an unknown job is null', async () => {
  expect(await openStore().job(jobId('a'))).toBeNull()
})
