import { expect, test } from 'vitest'
import { Asker } from '../../src/actors/asker.ts'
import { Attempt, type AttemptLimits, type AttemptListener } from '../../src/actors/attempt.ts'
import { LookGate } from '../../src/actors/look-gate.ts'
import type { StackInspector } from '../../src/actors/stack-inspector.ts'
import { claimedJob } from '../support/sim/open-dispatcher.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { StubPool } from '../support/sim/stub-pool.ts'
import { noLocks, StubCommitter } from '../support/sim/stub-store.ts'
import { lease } from '../support/store/commands.ts'

/** Where the handler of these tests hangs. */
const framesOf: StackInspector['framesOf'] = async () => [
  { functionName: 'decode', url: 'file:///app/decoder.ts', line: 212, column: 3 },
]

function start(limits: Partial<AttemptLimits> = {}) {
  const clock = new ManualClock()
  const pool = new StubPool(1)
  const committer = new StubCommitter()
  const told: string[] = []
  const listener: AttemptListener = {
    progress: (_attempt, fraction, note) => void told.push(`progress ${fraction} ${note}`),
    log: () => undefined,
    settled: (_attempt, answer) => void told.push(`settled ${answer.type}`),
    condemned: () => void told.push('condemned'),
    threadFreed: () => void told.push('freed'),
    failed: (error) => void told.push(`failed ${error}`),
  }
  const attempt = new Attempt(
    claimedJob('a'),
    {
      ...{ timeoutMs: 1_000, timeoutGraceMs: 0, stopGraceMs: 500, killWaitMs: 10_000, startMaxMs: 10_000, inspects: false },
      ...{ budget: null, backoff: undefined, ...limits },
    },
    {
      ...{ pool, committer, clock, random: { next: () => 0, id: () => '' } },
      inspector: new LookGate({ available: true, framesOf }, clock),
      asker: new Asker({ committer, clock, locks: noLocks }),
      jobLogs: null,
    },
    listener,
  )
  const run = pool.run('a')
  /** The handler begins now. */
  const begins = () => {
    run.started = clock.mono()
  }
  const settlement = () => committer.of('settle').at(-1)?.settlement
  return { clock, pool, committer, attempt, run, told, begins, settlement }
}

test('the timeout counts from the start of the handler, not from the hand-over', async () => {
  const { clock, run, begins } = start()
  await clock.advance(700)
  begins()
  await clock.advance(999)
  expect(run.stops).toEqual([])
  await clock.advance(1)
  expect(run).toMatchObject({ stops: ['timeout'], terminated: true })
})

test('a timed-out attempt is settled only when its thread has exited', async () => {
  const { clock, pool, begins, settlement } = start()
  begins()
  await clock.advance(5_000)
  expect(settlement()).toBeUndefined()
  pool.exits('a')
  expect(settlement()).toMatchObject({ type: 'fail', error: { code: 'REEVE_ATTEMPT_TIMED_OUT' } })
})

test('a result that arrives while the thread is being killed wins over the timeout', async () => {
  const { clock, pool, begins, settlement } = start()
  begins()
  await clock.advance(1_000)
  pool.returns('a')
  expect(settlement()).toBeUndefined()
  pool.exits('a')
  expect(settlement()).toEqual({ type: 'complete', result: '1' })
})

test('a handler that never begins is put back uncharged, ten seconds later', async () => {
  const { clock, pool, run, settlement } = start()
  await clock.advance(9_999)
  expect(run.terminated).toBe(false)
  await clock.advance(1)
  expect(run.terminated).toBe(true)
  pool.exits('a')
  expect(settlement()).toEqual({ type: 'interrupted' })
})

test('a thread that does not come back after its handler is ended ten seconds later, and the result stands', async () => {
  const { clock, pool, run, committer, told } = start()
  pool.returns('a')
  await clock.advance(10_000)
  expect(run.terminated).toBe(true)
  pool.exits('a')
  expect(committer.of('settle')).toMatchObject([{ settlement: { type: 'complete' } }])
  expect(told).toEqual(['freed'])
})

test('the grace of a cancel does not outlast the timeout of the handler', async () => {
  const { clock, attempt, run, begins } = start()
  begins()
  await clock.advance(900)
  attempt.stop('cancel')
  await clock.advance(99)
  expect(run.terminated).toBe(false)
  await clock.advance(1)
  expect(run.terminated).toBe(true)
})

test('a thread that dies by itself fails the attempt, with its exit code', async () => {
  const { pool, begins, settlement } = start()
  begins()
  pool.exits('a')
  expect(settlement()).toMatchObject({ type: 'fail', error: { code: 'REEVE_THREAD_EXITED' } })
})

test('after a lost lease the thread is ended at once and nothing is settled', async () => {
  const { attempt, pool, run, begins, committer, told } = start()
  begins()
  attempt.leaseLost()
  expect(run).toMatchObject({ stops: ['lease-lost'], terminated: true })
  pool.returns('a')
  pool.exits('a')
  expect(committer.of('settle')).toEqual([])
  expect(told).toEqual(['settled stale', 'freed'])
})

test('progress is told each time and written at most four times a second, the last of it before the settle', async () => {
  const { clock, pool, run, committer, told } = start()
  for (let step = 1; step <= 5; step++) run.listener.progress(step / 10, null)
  expect(told).toHaveLength(5)
  expect(committer.of('progress').map(({ fraction }) => fraction)).toEqual([0.1])
  await clock.advance(250)
  expect(committer.of('progress').map(({ fraction }) => fraction)).toEqual([0.1, 0.5])
  run.listener.progress(0.9, 'nearly')
  pool.returns('a')
  expect(committer.submitted.slice(-2).map(({ command }) => command)).toMatchObject([
    { type: 'progress', fraction: 0.9, lease: lease('a', 1) },
    { type: 'settle' },
  ])
  run.listener.progress(1, 'too late')
  await clock.advance(1_000)
  expect(committer.of('progress')).toHaveLength(3)
})

test('the last twenty log lines go with the error of a killed attempt', async () => {
  const { clock, pool, run, begins, settlement } = start()
  begins()
  for (let line = 1; line <= 25; line++) run.listener.log({ level: 30, message: `line ${line}`, fields: null, at: 0 })
  await clock.advance(1_000)
  pool.exits('a')
  const lastTwenty = Array.from({ length: 20 }, (_, index) => `line ${index + 6}`)
  expect(settlement()).toMatchObject({ type: 'fail', error: { logTail: lastTwenty } })
})

test('the place of the hang is read before the thread is told to die, and stands in the error', async () => {
  const { clock, pool, run, begins, settlement } = start({ inspects: true })
  begins()
  await clock.advance(999)
  clock.time.advance(1)
  expect(run.terminated).toBe(false)
  await clock.turns()
  expect(run.terminated).toBe(true)
  pool.exits('a')
  expect(settlement()).toMatchObject({
    error: { message: expect.stringContaining('in decode (decoder.ts:212)'), stack: expect.stringContaining('at decode') },
  })
})

test('a thread that has not exited in time is condemned once, and its job is settled when it exits at last', async () => {
  const { clock, pool, run, told, begins, settlement } = start({ killWaitMs: 3_000 })
  begins()
  await clock.advance(3_999)
  expect(run.condemned).toBe(false)
  await clock.advance(100_000)
  expect(run.condemned).toBe(true)
  expect(told).toEqual(['condemned'])
  expect(settlement()).toBeUndefined()
  pool.exits('a')
  expect(settlement()).toMatchObject({ type: 'fail' })
})

test('a question is put to the store under the lease, before the settle, and its answer goes to the handler', async () => {
  const { clock, pool, run, committer } = start()
  const operation = { type: 'get', key: 'k' } as const
  run.listener.ask(1, { type: 'key-value', operation })
  pool.returns('a')
  expect(committer.submitted.map(({ command }) => command)).toMatchObject([
    { type: 'key-value', by: { lease: lease('a', 1) }, operation },
    { type: 'settle' },
  ])
  committer.of('key-value')[0]?.answer({ type: 'key-value', outcome: { type: 'found', stored: null } })
  await clock.turns()
  expect(run.answers.get(1)).toEqual({ ok: true, value: { type: 'found', stored: null } })
})

test('a question under a lease that is not ours any more is refused', async () => {
  const { clock, run, committer } = start()
  run.listener.ask(1, { type: 'key-value', operation: { type: 'get', key: 'k' } })
  committer.of('key-value')[0]?.answer({ type: 'key-value', outcome: { type: 'stale' } })
  await clock.turns()
  expect(run.answers.get(1)).toMatchObject({ ok: false, error: { code: 'REEVE_ATTEMPT_STOPPED' } })
})

test('once the attempt is decided on its handler can ask nothing', () => {
  const { attempt, run, committer } = start()
  attempt.leaseLost()
  run.listener.ask(1, { type: 'key-value', operation: { type: 'get', key: 'k' } })
  expect(committer.of('key-value')).toEqual([])
  expect(run.answers.get(1)).toMatchObject({ ok: false, error: { code: 'REEVE_ATTEMPT_STOPPED' } })
})

test('a kind that is set up first has longer to begin, and a job whose kind cannot be set up is put back uncharged', async () => {
  const { clock, pool, run, settlement } = start({ startMaxMs: 30_000 })
  await clock.advance(29_999)
  expect(run.terminated).toBe(false)
  await clock.advance(1)
  expect(run.terminated).toBe(true)
  run.listener.outcome({ type: 'setup-failed', error: { name: 'ReeveError', message: 'no', code: 'REEVE_SETUP_FAILED' } })
  pool.exits('a')
  expect(settlement()).toMatchObject({ type: 'snooze', delayMs: 5_000, error: { code: 'REEVE_SETUP_FAILED' } })
})

test('a job that is cancelled while its kind is set up is cancelled', async () => {
  const { attempt, clock, pool, run, settlement } = start()
  attempt.stop('cancel')
  await clock.advance(500)
  expect(run.terminated).toBe(true)
  run.listener.outcome({ type: 'setup-failed', error: { name: 'ReeveError', message: 'ended' } })
  pool.exits('a')
  expect(settlement()).toEqual({ type: 'cancel' })
})
