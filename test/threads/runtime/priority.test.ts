import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openRuntime, Scratch } from '../../support/runtime/open-runtime.ts'
import type jobs from './jobs/priority.ts'

const jobsUrl = new URL('./jobs/priority.ts', import.meta.url)

/** The niceness of the thread that asks, as Linux keeps it (field 19 of its `stat`). */
function ownNiceness(): number {
  return nicenessIn(readFileSync('/proc/thread-self/stat', 'utf8'))
}

function nicenessIn(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
}

test.skipIf(process.platform !== 'linux')(
  'threads that run handlers give way to the app’s thread, which stays as it was',
  async () => {
    using scratch = new Scratch()
    const before = ownNiceness()
    await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
    const handler = await (await runtime.enqueue('stat')).result()
    expect(nicenessIn(handler)).toBeGreaterThan(before)
    expect(ownNiceness()).toBe(before)
  },
)

test.skipIf(process.platform !== 'linux')('with threadPriority: normal they do not', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { threadPriority: 'normal' })
  expect(nicenessIn(await (await runtime.enqueue('stat')).result())).toBe(ownNiceness())
})
