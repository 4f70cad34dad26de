import { beforeEach, describe, expect, test } from 'vitest'
import { Waits } from '../../src/client/waits.ts'
import { ReeveError } from '../../src/errors.ts'
import type { JobEnd } from '../../src/job/job-events.ts'
import { FakeThread } from '../support/runtime/fake-thread.ts'
import { rejection } from '../support/runtime/open-runtime.ts'
import { jobId } from '../support/store/commands.ts'

const [a, b] = [jobId('a'), jobId('b')]
const end = (id: string): JobEnd => ({
  jobId: jobId(id),
  kind: 'resize',
  attempt: 1,
  state: 'completed',
  result: '1',
  error: null,
})
const closed = new ReeveError('REEVE_RUNTIME_CLOSED', 'closed')

let thread: FakeThread
let waits: Waits
beforeEach(() => {
  thread = new FakeThread()
  waits = new Waits(thread)
})

describe('waits', () => {
  test('of one tick are told in one message, and several of one job once', async () => {
    const ends = [waits.wait(a).end, waits.wait(b).end, waits.wait(a).end]
    await Promise.resolve()
    expect(thread.take()).toEqual([{ type: 'watch', ids: [a, b] }])
    waits.ended([end('b'), end('a')])
    expect(await Promise.all(ends)).toEqual([end('a'), end('b'), end('a')])
  })

  test('that are stopped are told only when the last one of the job is', async () => {
    const [first, second] = [waits.wait(a), waits.wait(a)]
    await Promise.resolve()
    thread.take()
    first.stop()
    first.stop()
    await Promise.resolve()
    expect(thread.take()).toEqual([])
    second.stop()
    await Promise.resolve()
    expect(thread.take()).toEqual([{ type: 'unwatch', ids: [a] }])
  })

  test('that begin and stop within a tick leave nothing watched, and the reverse leaves it watched', async () => {
    waits.wait(a).stop()
    const before = waits.wait(b)
    await Promise.resolve()
    expect(thread.take()).toEqual([
      { type: 'unwatch', ids: [a] },
      { type: 'watch', ids: [b] },
    ])
    before.stop()
    const again = waits.wait(b)
    await Promise.resolve()
    expect(thread.take()).toEqual([{ type: 'watch', ids: [b] }])
    waits.ended([end('b')])
    expect(await again.end).toEqual(end('b'))
  })

  test('are told again to a new thread', async () => {
    const wait = waits.wait(a)
    await Promise.resolve()
    thread.take()
    waits.resume()
    expect(thread.take()).toEqual([{ type: 'watch', ids: [a] }])
    waits.ended([end('a')])
    await wait.end
    waits.resume()
    expect(thread.take()).toEqual([])
  })

  test('of an id that no job has are rejected, and no others', async () => {
    const [missing, there] = [rejection(waits.wait(a).end), waits.wait(b).end]
    waits.missing([a], (id) => new ReeveError('REEVE_JOB_NOT_FOUND', `no ${id}`))
    expect(await missing).toMatchObject({ code: 'REEVE_JOB_NOT_FOUND', message: 'no a' })
    waits.ended([end('b')])
    await there
  })

  test('end with the runtime, those that come later too', async () => {
    const open = rejection(waits.wait(a).end)
    waits.rejectAll(closed)
    expect(await open).toBe(closed)
    thread.take()
    const late = waits.wait(b)
    late.stop()
    expect(await rejection(late.end)).toBe(closed)
    await Promise.resolve()
    expect(thread.take()).toEqual([])
  })

  test('an end that nobody waits for changes nothing', () => {
    waits.ended([end('c')])
    expect(thread.take()).toEqual([])
  })
})
