import { expect, test } from 'vitest'
import type { Attempt } from '../../src/actors/attempt.ts'
import { Gauge } from '../../src/actors/gauge.ts'
import { RecentRate } from '../../src/actors/recent-rate.ts'
import type { Settlement } from '../../src/job/outcome.ts'
import type { JobState } from '../../src/job/state.ts'
import { claimedJob } from '../support/sim/open-dispatcher.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { complete, discard, fail, interrupted, snooze } from '../support/store/commands.ts'

function open() {
  const clock = new ManualClock()
  const gauge = new Gauge({ clock })
  /** An attempt that starts after its job has waited, and ends after it has run. */
  const run = async (settlement: Settlement, state: JobState, { kind = 'resize', waitMs = 0, runMs = 0 } = {}) => {
    const job = { ...claimedJob('a'), kind, runAt: clock.wall() - waitMs }
    const attempt = { job, startedAtMono: clock.mono() } as Attempt
    gauge.started(attempt)
    await clock.advance(runMs)
    gauge.settled(attempt, { type: 'settled', state, runAt: clock.wall() }, settlement)
  }
  return { clock, gauge, run }
}

test('each end is counted as what it is', async () => {
  const { gauge, run } = open()
  await run(complete, 'completed')
  await run(complete, 'cancelled')
  await run(fail(), 'cancelled')
  await run(fail(), 'ready')
  await run(fail(), 'discarded')
  await run(discard, 'discarded')
  await run({ type: 'cancel' }, 'cancelled')
  await run(snooze(1), 'ready')
  await run(interrupted, 'ready')
  const ends = { completed: 1, failed: 3, retried: 1, discarded: 2, cancelled: 3, snoozed: 1, interrupted: 1 }
  expect(gauge.stats()).toMatchObject({ total: ends, kinds: { resize: ends } })
})

test('an attempt whose lease was lost counts as nothing, and a job that was handed back only where it was cancelled', () => {
  const { gauge } = open()
  const attempt = { job: claimedJob('a'), startedAtMono: 0 } as Attempt
  gauge.settled(attempt, { type: 'stale' }, complete)
  gauge.handedBack(claimedJob('a'), { type: 'settled', state: 'ready', runAt: 0 })
  expect(gauge.stats().total).toMatchObject({ completed: 0, interrupted: 0, cancelled: 0 })
  gauge.handedBack(claimedJob('a'), { type: 'settled', state: 'cancelled', runAt: 0 })
  expect(gauge.stats().total.cancelled).toBe(1)
})

test('run and wait times are spread by kind, and together', async () => {
  const { gauge, run } = open()
  for (let ms = 1; ms <= 100; ms++) await run(complete, 'completed', { waitMs: ms * 10, runMs: ms })
  await run(complete, 'completed', { kind: 'send', waitMs: 5_000, runMs: 7_000 })
  const { kinds, total } = gauge.stats()
  const about = (ms: number) => expect.toSatisfy((value: number) => Math.abs(value - ms) <= ms / 50, `about ${ms}`)
  expect(kinds['resize']?.runTime).toEqual({ count: 100, p50: about(50), p95: about(95), p99: about(99), max: about(100) })
  expect(kinds['resize']?.waitTime).toMatchObject({ count: 100, p50: about(500), max: about(1_000) })
  expect(kinds['send']?.runTime).toMatchObject({ count: 1, p50: about(7_000) })
  expect(total.runTime).toMatchObject({ count: 101, p50: about(51), max: about(7_000) })
})

test('an attempt that was put back uncharged has no run time, one that failed has', async () => {
  const { gauge, run } = open()
  await run(interrupted, 'ready', { runMs: 5 })
  await run(snooze(1), 'ready', { runMs: 5 })
  expect(gauge.stats().total.runTime).toEqual({ count: 0, p50: 0, p95: 0, p99: 0, max: 0 })
  await run(fail(), 'ready', { runMs: 5 })
  expect(gauge.stats().total.runTime.count).toBe(1)
})

test('a wall clock that was set back makes no negative wait', async () => {
  const { gauge, run } = open()
  await run(complete, 'completed', { waitMs: -60_000 })
  expect(gauge.stats().total.waitTime).toMatchObject({ count: 1, max: expect.toSatisfy((ms: number) => ms >= 0 && ms < 1) })
})

test('however many kinds there are, it keeps figures of two hundred and one', async () => {
  const { gauge, run } = open()
  for (let kind = 0; kind < 500; kind++) await run(complete, 'completed', { kind: `kind ${kind}` })
  const { kinds, total } = gauge.stats()
  expect(Object.keys(kinds)).toHaveLength(201)
  expect(kinds['(other kinds)']?.completed).toBe(300)
  expect(total.completed).toBe(500)
})

test('the rate is that of the last minute, or of the time since the start', async () => {
  const clock = new ManualClock()
  const rate = new RecentRate(clock)
  expect(rate.perSecond()).toBe(0)
  for (let second = 0; second < 10; second++) {
    for (let each = 0; each < 5; each++) rate.record()
    await clock.advance(1_000)
  }
  expect(rate.perSecond()).toBe(5)
  await clock.advance(50_000)
  expect(rate.perSecond()).toBeLessThan(1)
  await clock.advance(10_000)
  expect(rate.perSecond()).toBe(0)
})
