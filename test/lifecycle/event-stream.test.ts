import { expect, test } from 'vitest'
import type { QueueEvent, Runtime } from '../../src/index.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import { SupervisorThreads } from '../support/runtime/supervisor-threads.ts'
import type jobs from './jobs/basics.ts'

const jobsUrl = new URL('./jobs/basics.ts', import.meta.url)

/** Takes so many events of a stream and ends it. */
async function take<E extends QueueEvent>(stream: AsyncGenerator<E>, count: number): Promise<E[]> {
  const taken: E[] = []
  for await (const event of stream) if (taken.push(event) === count) break
  return taken
}

const told = (events: readonly QueueEvent[]) => events.map(({ type, jobId }) => [type, jobId])

test('a reader gets what happens, also what other runtimes do, and goes on behind its cursor after a restart', async () => {
  using scratch = new Scratch()
  const first = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0, eventLog: true })
  const { id: early } = await first.enqueue('echo', 1)
  const [enqueued] = await take(first.events({ after: 'start' }), 1)
  await first.close()
  await using reader = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  const rest = take(reader.events({ after: enqueued?.cursor ?? '' }), 5)
  await using worker = await openRuntime<typeof jobs>(scratch, jobsUrl)
  const late = await worker.enqueue('echo', 2, { delay: 50 })
  await late.result()
  expect(told(await rest)).toEqual(
    expect.arrayContaining([
      ['claimed', early],
      ['completed', early],
      ['enqueued', late.id],
      ['claimed', late.id],
      ['completed', late.id],
    ]),
  )
})

test('without a cursor a reader gets what happens from then on, of the types it asks for', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, jobsUrl, { eventLog: { maxCount: 1_000, maxAge: '1h' } })
  await runtime.call('echo', 1)
  const stream = runtime.events({ types: ['discarded', 'completed'] })
  const next = stream.next()
  // The place is taken once the reader has asked; a second question is answered after the first.
  await runtime.counts()
  await rejection(runtime.call('succeedsAt', { attempt: 2 }, { retry: { attemptsMax: 1 } }))
  expect((await next).value).toMatchObject({
    ...{ type: 'discarded', kind: 'succeedsAt', attempt: 1, runAt: null },
    error: { name: 'RangeError', message: 'attempt 1 is too early', code: 'E_EARLY' },
  })
  await stream.return()
  // A reader that no commit woke would look again after twenty seconds.
}, 10_000)

test('a signal ends the stream without an error, whether it waits or not', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0, eventLog: true })
  const stop = new AbortController()
  const waits = take(runtime.events({ signal: stop.signal }), 1)
  await runtime.counts()
  stop.abort()
  expect(await waits).toEqual([])
  await runtime.enqueueMany([1, 2, 3].map((input) => ({ kind: 'echo' as const, input })))
  const again = new AbortController()
  const seen: string[] = []
  for await (const { type } of runtime.events({ after: 'start', signal: again.signal })) {
    seen.push(type)
    again.abort()
  }
  expect(seen).toEqual(['enqueued'])
})

test('the death of the supervisor thread is not seen by a reader', async () => {
  using threads = new SupervisorThreads()
  using scratch = new Scratch()
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0, eventLog: true })
  const { id } = await runtime.enqueue('echo', 1)
  const taken = take(runtime.events({ after: 'start' }), 2)
  await runtime.counts()
  await threads.killLatest()
  const second = await runtime.enqueue('echo', 2)
  expect(told(await taken)).toEqual([
    ['enqueued', id],
    ['enqueued', second.id],
  ])
})

test('where the stream is off, cut, or the runtime closed, the reader is told; wrong options are refused by name', async () => {
  using scratch = new Scratch()
  await using off = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0 })
  expect((await rejection(off.events().next())).code).toBe('REEVE_EVENTS_OFF')
  for (const [option, options] of [
    ['after', { after: 'yesterday' }],
    ['types', { types: ['finished'] }],
  ] as const) {
    expect(() => off.events(options as never)).toThrow(
      expect.objectContaining({ code: 'REEVE_OPTION_INVALID', message: expect.stringContaining(`'${option}'`) }),
    )
  }
  const { cursor } = (await on(scratch, (runtime) => take(runtime.events({ after: 'start' }), 1)))[0] ?? { cursor: '' }
  await on(scratch, async () => undefined, false)
  const [error, closed] = await on(scratch, async (runtime) => {
    const pruned = await rejection(runtime.events({ after: cursor }).next())
    const open = rejection(runtime.events().next())
    await runtime.close()
    return [pruned, await open]
  })
  expect(error?.code).toBe('REEVE_EVENTS_PRUNED')
  expect(closed?.code).toBe('REEVE_RUNTIME_CLOSED')
})

type TestRuntime = Runtime<typeof jobs>

/** Opens a runtime whose stream is on (or off), enqueues a job, and closes it after its use. */
async function on<T>(scratch: Scratch, use: (runtime: TestRuntime) => Promise<T>, eventLog = true): Promise<T> {
  await using runtime = await openRuntime<typeof jobs>(scratch, undefined, { threads: 0, eventLog })
  await runtime.enqueue('echo', 1)
  return await use(runtime)
}
