/** What a killed process leaves behind in child processes of its handlers. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type jobs from '../support/processes/jobs.ts'
import { Peer } from '../support/processes/peer.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'
import { isAlive } from '../support/threads/processes.ts'

const jobsUrl = new URL('../support/processes/jobs.ts', import.meta.url)

test.skipIf(process.platform !== 'linux')(
  'a child process that outlived its runtime is ended before its job is run again',
  { timeout: 60_000 },
  async () => {
    using scratch = new Scratch()
    const file = scratch.file('pid of the first')
    const client = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
    const { id } = await client.enqueue('apart', file)
    await client.close()
    using victim = new Peer(scratch.database, { threads: 1 })
    await victim.said('at work')
    const child = Number(readFileSync(file, 'utf8'))
    // Stopped, so that it cannot notice the death of its parent by itself.
    process.kill(child, 'SIGSTOP')
    victim.signal('SIGKILL')
    await victim.exited
    expect(isAlive(child)).toBe(true)

    await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
    const handle = await runtime.handle<'apart'>(id)
    expect(await handle.result()).toMatchObject({ first: child })
    expect(isAlive(child)).toBe(false)
  },
)
