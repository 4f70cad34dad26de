import { expect, test } from 'vitest'
import { growthAfterKills } from '../../support/threads/kill-threads.ts'

test.runIf(process.platform === 'linux')('300 kills in a row leave as many threads and file handles as one', async () => {
  const growth = await growthAfterKills(300)
  // A thread is reaped a moment after its exit was told; a leak would be one for each kill.
  expect(growth.threads).toBeLessThanOrEqual(4)
  expect(growth.handles).toBeLessThanOrEqual(8)
})
