import { expect, test } from 'vitest'
import type jobs from '../support/processes/jobs.ts'
import { Peer } from '../support/processes/peer.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'

test('a job that killed its process for the last time is told of as discarded, with the story of its deaths', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0, crashesMax: 1 })
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('poison')
  const result = rejection(handle.result())
  using victim = new Peer(scratch.database, { threads: 1 })
  expect(await victim.gone).toBe('SIGKILL')
  expect(await result).toMatchObject({ code: 'REEVE_JOB_DISCARDED', cause: { code: 'REEVE_JOB_CRASHED' } })
  expect((await events.of('discarded', handle.id)).error).toMatchObject({ code: 'REEVE_JOB_CRASHED' })
  expect(await runtime.get(handle.id)).toMatchObject({
    state: 'discarded',
    crashes: 1,
    crashLog: [{ at: expect.any(Number), owner: expect.any(String), alone: true }],
  })
})
