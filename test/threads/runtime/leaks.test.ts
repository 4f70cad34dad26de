import { expect, test } from 'vitest'
import { killThreads } from '../../support/runtime/kill-threads.ts'

test.runIf(process.platform === 'linux')(
  '40 timeouts that end their thread, in a row, leave no thread and no file handle behind',
  async () => {
    const { threads, handles } = await killThreads(40)
    // A thread that is being replaced counts for a moment, with a dozen handles; a leak would be forty of either.
    expect(threads.after).toBeLessThanOrEqual(threads.before + 4)
    expect(handles.after).toBeLessThanOrEqual(handles.before + 24)
    expect(threads.closed).toBeLessThanOrEqual(threads.unopened + 1)
    expect(handles.closed).toBeLessThanOrEqual(handles.unopened + 1)
  },
  120_000,
)
