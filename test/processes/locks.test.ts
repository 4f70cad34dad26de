import { expect, test } from 'vitest'
import { Peer } from '../support/processes/peer.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'

test('a lock that the app of another process holds is busy here, and free at once when that process is killed', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime(scratch, undefined, { threads: 0 })
  using other = new Peer(scratch.database, { threads: 0, locks: true })
  await other.said('locked')
  await expect(runtime.lock('door', () => 'inside', { wait: '50ms' })).rejects.toMatchObject({ name: 'LockBusyError' })
  const waited = runtime.lock('door', () => 'inside')
  other.signal('SIGKILL')
  expect(await waited).toBe('inside')
})

test('a lock that a handler of another process holds is free when that process is killed, before its job runs again', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime(scratch, undefined, { threads: 0 })
  using other = new Peer(scratch.database, { threads: 1, enqueues: 'holds' })
  const [, jobId] = (await other.said('inside')).split(' ')
  expect(await runtime.lockHolder('door')).toMatchObject({ jobId })
  const waited = runtime.lock('door', () => 'inside')
  other.signal('SIGKILL')
  expect(await waited).toBe('inside')
})

test('a lock that another process frees goes to whoever waits for it here', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime(scratch, undefined, { threads: 0 })
  using other = new Peer(scratch.database, { threads: 0, locks: true })
  await other.said('locked')
  const waited = runtime.lock('door', () => 'inside')
  await other.end()
  expect(await waited).toBe('inside')
})
