import { pbkdf2Sync } from 'node:crypto'
import { expect, test } from 'vitest'
import { readAudit, startAudit } from '../../support/runtime/audit.ts'
import { EventLog } from '../../support/runtime/event-log.ts'
import { openRuntime, Scratch } from '../../support/runtime/open-runtime.ts'
import type { BodyStart, default as jobs } from './jobs/bodies.ts'

const jobsUrl = new URL('./jobs/bodies.ts', import.meta.url)

/** How many rounds keep one native call busy for about this long on this machine, and at least how long that is. */
function nativeCall(ms: number): { readonly iterations: number; readonly leastMs: number } {
  const sample = 400_000
  const begun = performance.now()
  pbkdf2Sync('password', 'salt', sample, 64, 'sha512')
  const took = performance.now() - begun
  return { iterations: Math.ceil((sample * ms) / took), leastMs: ms / 2 }
}

test('a handler inside a native call that outlasts its timeout is not run again before its thread has exited; its lease is renewed until then', async () => {
  const { iterations, leastMs } = nativeCall(3_000)
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { threads: 2, leaseDuration: '1s', killWait: '1m' })
  startAudit(scratch.database)
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('blocks', { iterations, file: scratch.file('first-body') })
  await events.said(handle.id, 'blocking')
  const { first, second, firstLives } = (await handle.result()) as { first: BodyStart; second: BodyStart; firstLives: boolean }

  // Nothing told the handler to stop in between: the second body began after the whole native call.
  expect(second.at - first.at).toBeGreaterThan(leastMs)
  expect(firstLives).toBe(false)
  expect(second.threadId).not.toBe(first.threadId)
  expect(events.namesOf(handle.id)).toEqual(['started', 'progress', 'retrying', 'started', 'completed'])
  expect((await events.of('retrying', handle.id)).error).toMatchObject({ code: 'REEVE_ATTEMPT_TIMED_OUT' })

  const changes = readAudit(scratch.database).filter(({ id }) => id === handle.id)
  const underFirst = changes.filter(({ after, token }) => after === 'running' && token === 1)
  const leases = underFirst.map(({ leaseExpiresAt }) => leaseExpiresAt ?? 0)
  expect(new Set(leases).size).toBeGreaterThan(leastMs / 1_000)
  expect(leases).toEqual([...leases].sort((a, b) => a - b))
  expect(new Set(underFirst.map(({ owner }) => owner)).size).toBe(1)
  const moves = changes
    .filter(({ before, after }) => before !== after)
    .map(({ before, after, token }) => `${before}>${after} ${token}`)
  expect(moves).toEqual(['>ready 0', 'ready>running 1', 'running>ready 1', 'ready>running 2', 'running>completed 2'])
})
