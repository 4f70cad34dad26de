import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/locks.ts'

const jobsUrl = new URL('./jobs/locks.ts', import.meta.url)

/** A lock that the app holds until it is told to let go. */
async function hold(runtime: Awaited<ReturnType<typeof openRuntime<typeof jobs>>>) {
  const inside = Promise.withResolvers<void>()
  const leave = Promise.withResolvers<void>()
  const over = runtime.lock('door', async () => {
    inside.resolve()
    await leave.promise
  })
  await inside.promise
  return { leave: leave.resolve, over }
}

test('handlers on threads, in child processes and the app never hold one lock together', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { threads: 3 })
  const file = scratch.file('visits')
  const who = ['a', 'b', 'c', 'd', 'e', 'f']
  const handles = await runtime.enqueueMany(
    who.map((each, index) => ({ kind: index % 3 === 2 ? 'visitsInAProcess' : 'visits', input: { file, who: each } }) as const),
  )
  const { leave, over } = await hold(runtime)
  leave()
  await over
  const tokens: number[] = []
  for (const handle of handles) tokens.push(await handle.result())
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  expect(lines).toHaveLength(12)
  for (let visit = 0; visit < 12; visit += 2) expect(lines[visit + 1]).toBe(lines[visit]?.replace('in', 'out'))
  expect(new Set(tokens).size).toBe(6)
})

test('a lock is free when the function that held it has thrown, or its thread was ended', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  for (const kind of ['fails', 'holdsForEver'] as const) {
    const handle = await runtime.enqueue(kind)
    const error = await rejection(handle.result())
    expect((error.cause as Error).message).toMatch(kind === 'fails' ? /inside/ : /ran past its timeout/)
    expect(await runtime.lockHolder('door')).toBeNull()
    expect(await runtime.lock('door', () => 'free', { wait: false })).toBe('free')
  }
})

test('a handler that will not wait, or not so long, is told by name and code who is in its way', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const { leave, over } = await hold(runtime)
  for (const wait of [false, '20ms'] as const)
    expect(await (await runtime.enqueue('tries', wait)).result()).toBe('LockBusyError REEVE_LOCK_BUSY')
  expect(await runtime.lockHolder('door')).toMatchObject({ jobId: null, expiresAt: null })
  leave()
  await over
  expect(await (await runtime.enqueue('tries', false)).result()).toBe('inside')
})

test('a handler that asks again for what it holds is told so, and one that asks beside itself takes turns', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const error = await rejection((await runtime.enqueue('nests')).result())
  expect(error.cause).toMatchObject({ code: 'REEVE_LOCK_HELD_HERE' })
  expect(await (await runtime.enqueue('takesTurns')).result()).toEqual(['a', 'b', 'c'])
})

test('past its ttl a lock may be taken, and the signal of the one who had it says so', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  expect(await (await runtime.enqueue('outstays')).result()).toBe('REEVE_LOCK_LOST')
  const lost = runtime.lock(
    'door',
    ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason))),
    { ttl: '50ms' },
  )
  await runtime.lock('door', () => undefined)
  expect(await lost).toMatchObject({ code: 'REEVE_LOCK_LOST' })
})

test('what a lock is asked for with is checked before anything is taken', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const nothing = () => undefined
  for (const [name, options] of [
    ['', {}],
    ['a', { ttl: 0 }],
    ['a', { wait: -1 }],
    ['a', { waits: true } as never],
  ] as const)
    expect(await rejection(runtime.lock(name, nothing, options))).toMatchObject({ code: 'REEVE_OPTION_INVALID' })
})

test('a job of an exclusive kind waits, without a thread, for whoever holds its lock, and holds it then', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const { leave, over } = await hold(runtime)
  const exclusive = await runtime.enqueue('isExclusive')
  // The one thread is free for others meanwhile.
  expect(await (await runtime.enqueue('tries', false)).result()).toBe('LockBusyError REEVE_LOCK_BUSY')
  expect(await runtime.get(exclusive.id)).toMatchObject({ state: 'ready', attempt: 0 })
  leave()
  await over
  expect(await exclusive.result()).toBe('REEVE_LOCK_HELD_HERE')
  expect(await runtime.lockHolder('door')).toBeNull()
})
