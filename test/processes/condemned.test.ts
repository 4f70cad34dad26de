/** What a process does that has a thread which nothing can end. */
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type jobs from '../support/processes/jobs.ts'
import { Peer } from '../support/processes/peer.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'

const jobsUrl = new URL('../support/processes/jobs.ts', import.meta.url)

test('with onCondemned: exit a process past its cap ends itself, though no exit of Node would; another one runs the job again', async () => {
  using scratch = new Scratch()
  const file = scratch.file('go on')
  const client = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const { id } = await client.enqueue('unendable', file)
  await client.close()
  using victim = new Peer(scratch.database, { threads: 1, killWait: '200ms', condemnedMax: 0, onCondemned: 'exit' })
  await victim.exited
  // The program that its thread waited for has outlived it.
  writeFileSync(file, '')
  expect(await victim.gone).toBe('SIGKILL')

  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  expect(await (await runtime.handle<'unendable'>(id)).result()).toBe(2)
  expect(await runtime.check()).toEqual([])
})
