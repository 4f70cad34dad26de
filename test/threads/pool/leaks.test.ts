import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { growthAfterKills } from '../../support/threads/kill-threads.ts'

test.runIf(process.platform === 'linux')('40 kills in a row leave as many threads and file handles as one', async () => {
  const growth = await growthAfterKills(40)
  // A thread is reaped a moment after its exit was told; a leak would be one for each kill.
  expect(growth.threads).toBeLessThanOrEqual(4)
  expect(growth.handles).toBeLessThanOrEqual(8)
})

test('a process whose pool is closed ends by itself', () => {
  const program = fileURLToPath(new URL('./jobs/open-and-close.ts', import.meta.url))
  expect(execFileSync(process.execPath, [program], { encoding: 'utf8', timeout: 20_000 })).toBe('closed\n')
})
