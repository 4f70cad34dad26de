import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Runtime } from '../../src/index.ts'
import { withDatabase } from '../support/runtime/audit.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'
import type jobs from './jobs/flows.ts'

const jobsUrl = new URL('./jobs/flows.ts', import.meta.url)
const open = (scratch: Scratch, options = {}): Promise<Runtime<typeof jobs>> =>
  openRuntime<typeof jobs>(scratch, jobsUrl, options)
const linesOf = (file: string): string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])

test('a step that has ended returns what it returned, and its body does not run again', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const file = scratch.file('ran')
  const handle = await runtime.enqueue('retried', { file })
  expect(await handle.result()).toEqual({ at: new Date(5), big: 7n, length: 20_000, second: undefined, attempt: 3 })
  expect(linesOf(file)).toEqual(['first', 'second'])
  expect(await runtime.steps(handle.id)).toMatchObject([
    { name: 'first', type: 'run', state: 'ended', attempt: 1, replayed: true, waitsFor: null, result: { big: 7n } },
    { name: 'second', type: 'run', state: 'ended', attempt: 3, replayed: false, error: null },
  ])
})

test('a sleep frees the thread, charges nothing and goes on by itself', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const events = new EventLog(runtime)
  const file = scratch.file('ran')
  const handle = await runtime.enqueue('sleeps', { file, ms: 150 })
  await events.of('suspended', handle.id)
  const asleep = await runtime.get(handle.id)
  expect(asleep).toMatchObject({ state: 'suspended', attempt: 0 })
  // The one thread is free for another job meanwhile.
  await (await runtime.enqueue('many', { count: 1 })).result()
  expect(await handle.result()).toBe(1)
  expect(linesOf(file)).toEqual(['run 1', 'run 1', 'run 1'])
  const [nap] = (await runtime.steps(handle.id)) ?? []
  expect(nap?.waitsFor?.until).toBeGreaterThanOrEqual((asleep?.createdAt ?? Number.POSITIVE_INFINITY) + 150)
  expect(nap?.endedAt).toBeGreaterThanOrEqual(nap?.waitsFor?.until ?? Number.POSITIVE_INFINITY)
  expect(await runtime.check()).toEqual([])
})

test('each wait takes one event, in their order, also those that came before it', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const events = new EventLog(runtime)
  await runtime.emit('paid', 0)
  const handle = await runtime.enqueue('waits', {})
  await runtime.emit('paid', 1)
  await events.of('suspended', handle.id)
  await runtime.emit('other', 9)
  await runtime.emit('paid', 2)
  await runtime.emit('paid', 3)
  expect(await handle.result()).toEqual([1, 2])
})

test('a wait with a match takes its own key only, a signal reaches its own job only', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const [a, b] = await runtime.enqueueMany([
    { kind: 'waits', input: { match: 'a' } },
    { kind: 'waits', input: { match: 'b' } },
  ])
  await runtime.emit('paid', 'for nobody')
  await runtime.emit('paid', 'b1', { key: 'b' })
  await runtime.emit('paid', 'a1', { key: 'a' })
  await runtime.signal(a.id, 'paid', 'a2')
  await runtime.emit('paid', 'b2', { key: 'b' })
  expect([await a.result(), await b.result()]).toEqual([
    ['a1', 'a2'],
    ['b1', 'b2'],
  ])
  expect(await rejection(runtime.signal(a.id, 'paid'))).toMatchObject({ code: 'REEVE_SIGNAL_REFUSED', jobId: a.id })
  expect(await rejection(runtime.signal('nobody', 'paid'))).toMatchObject({ code: 'REEVE_JOB_NOT_FOUND' })
})

test('a wait that times out resolves with null, and takes no event', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('waits', { timeout: 60 })
  await events.first(({ name, jobId }) => name === 'suspended' && jobId === handle.id)
  await events.first(() => events.namesOf(handle.id).filter((name) => name === 'suspended').length === 2)
  await runtime.emit('paid', 5)
  expect(await handle.result()).toEqual([null, 5])
})

test('steps beside each other run at once, and the job is suspended when only waits are left', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const file = scratch.file('ran')
  const handle = await runtime.enqueue('parallel', { file, ms: 20 })
  await runtime.emit('go', 'now')
  expect(await handle.result()).toEqual(['A', undefined, 'B', 'now', 'C'])
  expect(linesOf(file)).toEqual(['a', 'b', 'c'])
})

test('an error that the handler goes on from is thrown again in each later run', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const file = scratch.file('ran')
  const handle = await runtime.enqueue('compensates', { file })
  expect(await handle.result()).toBe('RangeError E_POOR: no money')
  expect(linesOf(file)).toEqual(['pay', 'tell RangeError E_POOR: no money'])
  expect((await runtime.steps(handle.id))?.[0]).toMatchObject({ name: 'pay', state: 'failed', error: { code: 'E_POOR' } })
})

test('an error that ends the attempt is not remembered: the next attempt does the step again', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const file = scratch.file('ran')
  const handle = await runtime.enqueue('failsIn', { file })
  expect(await handle.result()).toBe(3)
  expect(linesOf(file)).toEqual(['try 1', 'try 2', 'try 3'])
})

test('an invoked job is one like any other, and its result is what the step returns', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const handle = await runtime.enqueue('invokes', { number: 16 })
  expect(await handle.result()).toBe(8 + 4 + 5)
  const steps = (await runtime.steps(handle.id)) ?? []
  expect(steps).toMatchObject(['first', 'second', 'third'].map((name) => ({ name, type: 'invoke', state: 'ended' })))
  const second = await runtime.get(steps[1]?.waitsFor?.job ?? '')
  expect(second).toMatchObject({ kind: 'half', queue: 'other', priority: 3, state: 'completed', result: 4 })
  expect(await runtime.check()).toEqual([])
})

test('the failure of an invoked job names it; an attempt that goes on from it sees it again, one that fails by it invokes anew', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const [file, failsIn] = [scratch.file('ran'), scratch.file('day')]
  const caught = await runtime.enqueue('invokesInVain', { file, failsIn, goesOn: true })
  expect(await caught.result()).toEqual(['REEVE_STEP_INVOKE_FAILED', 'E_DAY'])
  const thrown = await runtime.enqueue('invokesInVain', { file, failsIn, goesOn: false })
  const error = await rejection(thrown.result())
  expect(error).toMatchObject({ attempt: 2, cause: { code: 'REEVE_STEP_INVOKE_FAILED', kind: 'half', cause: { code: 'E_DAY' } } })
  const [step] = (await runtime.steps(thrown.id)) ?? []
  expect((error.cause as Error).message).toContain(`job ${step?.waitsFor?.job} (half) was discarded: not today`)
  // The first one's child, two attempts with a child each, and the job itself. A retry by hand invokes anew as well.
  expect(await runtime.counts()).toMatchObject({ discarded: 4 })
  writeFileSync(failsIn, '')
  await runtime.retry(thrown.id)
  expect(await thrown.result()).toBe(2)
})

test.each(['cancel', 'discard', 'delete'] as const)(
  'whoever waits for a job goes on at once when that one is ended by %s',
  async (act) => {
    using scratch = new Scratch()
    await using runtime = await open(scratch)
    const events = new EventLog(runtime)
    const handle = await runtime.enqueue('invokesLater', undefined)
    await events.of('suspended', handle.id)
    const [step] = (await runtime.steps(handle.id)) ?? []
    const child = step?.waitsFor?.job ?? ''
    if (act === 'cancel') await (await runtime.handle(child)).cancel()
    else await runtime[act](child)
    expect(await handle.result()).toMatch(/^Step 'later': job .* \(half\) was (cancelled|discarded|deleted)/)
  },
)

test('a retry by hand goes on from the last good step, and from the start where it is asked to', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const [file, mended] = [scratch.file('ran'), scratch.file('mended')]
  const handle = await runtime.enqueue('brokenWorld', { file, mended })
  await rejection(handle.result())
  expect(linesOf(file)).toEqual(['good', 'bad', 'told no'])
  writeFileSync(mended, '')
  await runtime.retry(handle.id)
  expect(await handle.result()).toBe('mended')
  expect(linesOf(file)).toEqual(['good', 'bad', 'told no', 'bad'])
  await runtime.retry(handle.id, { fromStart: true })
  expect(await handle.result()).toBe('mended')
  expect(linesOf(file).slice(4)).toEqual(['good', 'bad', 'told mended'])
})

test('a suspension is no attempt in the history of a job, and a word that ends the attempt comes before a wait', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const slept = await runtime.enqueue('sleeps', { file: scratch.file('slept'), ms: 1 })
  await slept.result()
  expect(await runtime.attempts(slept.id)).toHaveLength(1)
  const snoozed = await runtime.enqueue('snoozesFirst', { file: scratch.file('snoozed') })
  expect(await snoozed.result()).toBe('done')
  expect(await runtime.steps(snoozed.id)).toEqual([])
})

test('a step may be tried several times within an attempt, each no longer than its timeout', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const file = scratch.file('ran')
  const handle = await runtime.enqueue('triesWithin', { file })
  expect(await handle.result()).toEqual([3, 'REEVE_STEP_TIMED_OUT', 1])
  expect(linesOf(file)).toEqual(['try 1', 'try 2', 'try 3'])
})

test('a name that is used twice is an error that says both places', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const error = await rejection((await runtime.enqueue('duplicate')).result())
  expect(error.cause).toMatchObject({ code: 'REEVE_STEP_DUPLICATE' })
  expect((error.cause as Error).message).toMatch(/'same'.*flows\.ts:\d+.*flows\.ts:\d+/s)
})

test('a step of another type than in an earlier run is an error that explains it', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const error = await rejection((await runtime.enqueue('changed', { to: 'type' })).result())
  expect(error.cause).toMatchObject({
    code: 'REEVE_STEP_CHANGED',
    message: expect.stringMatching(/'old' was a function .* is a sleep now/),
  })
})

test('steps of earlier runs that the last one does not reach are told in the log', async () => {
  using scratch = new Scratch()
  const lines: unknown[] = []
  const log = (level: string) => (fields: object, message?: string) => lines.push({ level, fields, message })
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
  const logger = Object.fromEntries(levels.map((level) => [level, log(level)])) as unknown as Record<
    (typeof levels)[number],
    never
  >
  await using runtime = await open(scratch, { logger })
  expect(await (await runtime.enqueue('changed', { to: 'names' })).result()).toBe(2)
  await runtime.close()
  expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', fields: expect.objectContaining({ steps: ['old'] }) }))
})

test('a suspended job survives a drain and a restart, and another process may go on with it', async () => {
  using scratch = new Scratch()
  const first = await open(scratch)
  const events = new EventLog(first)
  const { id } = await first.enqueue('waits', {})
  await events.of('suspended', id)
  await first.emit('paid', 1)
  await events.first(() => events.namesOf(id).filter((name) => name === 'suspended').length === 2)
  await first.drain()
  expect(await first.get(id)).toMatchObject({ state: 'suspended' })
  await first.close()
  await using second = await open(scratch)
  await using emitting = await open(scratch, { threads: 0 })
  await emitting.emit('paid', 2)
  expect(await (await second.handle(id)).result()).toEqual([1, 2])
})

test('a suspended job is cancelled at once, and nothing wakes it', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const events = new EventLog(runtime)
  const handle = await runtime.enqueue('waits', {})
  await events.of('suspended', handle.id)
  expect(await handle.cancel()).toMatchObject({ state: 'cancelled' })
  await runtime.emit('paid', 1)
  expect(await runtime.get(handle.id)).toMatchObject({ state: 'cancelled' })
  expect((await rejection(handle.result())).code).toBe('REEVE_JOB_CANCELLED')
})

test('what goes on beside a wait hears that the job is suspended', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const file = scratch.file('ran')
  expect(await (await runtime.enqueue('beside', { file })).result()).toBe('done')
  expect(linesOf(file)).toEqual([expect.stringMatching(/goes on in a new run of its handler/)])
})

test('a job may have ten thousand steps and no more, and replays them all', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const handle = await runtime.enqueue('many', { count: 2 }, { delay: '500ms' })
  withDatabase(scratch.database, (db) =>
    db.exec(`
      INSERT INTO reeve_steps (job, name, type, state, attempt, token, started_at, ended_at)
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 9999)
      SELECT 1, 'old ' || n, 'run', 'ended', 1, 1, 1, 1 FROM number
    `),
  )
  const error = await rejection(handle.result())
  expect(error.cause).toMatchObject({ code: 'REEVE_STEPS_TOO_MANY', message: expect.stringContaining('10000 steps') })
  expect(await runtime.steps(handle.id)).toHaveLength(10_000)
})

test('steps work in a child process as on a thread', async () => {
  using scratch = new Scratch()
  await using runtime = await open(scratch)
  const file = scratch.file('ran')
  const handle = await runtime.enqueue('inProcess', { file })
  await runtime.emit('paid', 4)
  expect(await handle.result()).toEqual([1, 4])
  expect(linesOf(file)).toEqual(['first'])
})
