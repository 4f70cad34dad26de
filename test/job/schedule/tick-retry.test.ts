import { describe, expect, test } from 'vitest'
import { budgetOf, deadlineOf } from '../../../src/job/schedule/budget.ts'
import type { JobTick } from '../../../src/job/schedule/job-tick.ts'
import { type KindRetryOptions, kindRetrySettings } from '../../../src/job/schedule/kind-retry-options.ts'
import { keepToTick, retryWaitMs } from '../../../src/job/schedule/tick-retry.ts'

const tick: JobTick = { schedule: 'nightly', scheduledAt: 1_000, nextAt: 11_000, isCatchUp: false }
const wait = (delayMs: number, now: number, tickRetry: 'next-tick' | 'within-tick', given: Partial<JobTick> | null = {}) =>
  retryWaitMs(delayMs, { tick: given === null ? null : { ...tick, ...given }, tickRetry }, now)

describe('a retry and the ticks of its schedule', () => {
  test('with `next-tick` it waits for the next tick, however near or far', () => {
    expect([wait(500, 2_000, 'next-tick'), wait(60_000, 10_999, 'next-tick')]).toEqual([9_000, 1])
  })
  test('with `next-tick` and none to come it waits as by its backoff', () => {
    expect(wait(500, 11_000, 'next-tick')).toBe(500)
    expect(wait(500, 2_000, 'next-tick', { nextAt: null })).toBe(500)
    expect(wait(500, 2_000, 'next-tick', null)).toBe(500)
  })
  test('within its tick it is made only where it begins before the next one', () => {
    expect([wait(500, 10_499, 'within-tick'), wait(500, 10_500, 'within-tick'), wait(1, 12_000, 'within-tick')]).toEqual([
      500,
      null,
      null,
    ])
  })
  test('a catch-up is late as it is, and a job without a tick has none to keep to', () => {
    expect(wait(500, 12_000, 'within-tick', { isCatchUp: true })).toBe(500)
    expect(wait(500, 12_000, 'within-tick', null)).toBe(500)
    expect(wait(500, 12_000, 'within-tick', { nextAt: null })).toBe(500)
  })
  test('without room for a retry the job is discarded with its error; what did not fail is left as it is', () => {
    const error = { name: 'Error', message: 'no' }
    const keeping = { tick, tickRetry: 'within-tick' } as const
    expect(keepToTick({ type: 'fail', error, delayMs: 500 }, keeping, 2_000)).toEqual({ type: 'fail', error, delayMs: 500 })
    expect(keepToTick({ type: 'fail', error, delayMs: 500 }, keeping, 10_900)).toEqual({ type: 'discard', error })
    expect(keepToTick({ type: 'interrupted' }, keeping, 10_900)).toEqual({ type: 'interrupted' })
  })
  test('options become plain settings, and the wrong ones are refused by name', () => {
    expect(kindRetrySettings({ attemptsMax: 2, backoff: 'next-tick' }, 'a.retry')).toEqual({
      attemptsMax: 2,
      tickRetry: 'next-tick',
    })
    expect(kindRetrySettings({ withinTick: true, backoff: { base: '1s' } }, 'a.retry')).toMatchObject({
      ...{ tickRetry: 'within-tick', backoff: { baseMs: 1_000 } },
    })
    const wrong = { withinTick: 'yes' } as unknown as KindRetryOptions
    expect(() => kindRetrySettings(wrong, 'a.retry')).toThrow("'a.retry.withinTick' is 'yes'")
    expect(() => kindRetrySettings({ withinTick: true, backoff: 'next-tick' }, 'a.retry')).toThrow("'a.retry.withinTick'")
    expect(() => kindRetrySettings({ backoff: 'never' } as never, 'a.retry')).toThrow("'a.retry.backoff'")
  })
})

describe('a budget', () => {
  test('ends at the next tick, or where its own length is over before', () => {
    expect(deadlineOf({ ms: null }, tick, 2_000)).toBe(11_000)
    expect(deadlineOf({ ms: 3_000 }, tick, 2_000)).toBe(5_000)
    expect(deadlineOf({ ms: 30_000 }, tick, 2_000)).toBe(11_000)
  })
  test('of a run that starts after its next tick is as long as a tick lasts', () => {
    expect(deadlineOf({ ms: null }, tick, 20_000)).toBe(30_000)
  })
  test('without a tick, or without a budget, has its own length or no end', () => {
    expect([deadlineOf({ ms: 5 }, null, 1), deadlineOf({ ms: null }, null, 1), deadlineOf(null, tick, 1)]).toEqual([
      6,
      null,
      null,
    ])
    expect(deadlineOf({ ms: null }, { ...tick, nextAt: null }, 1)).toBeNull()
    expect(deadlineOf({ ms: null }, { ...tick, scheduledAt: null }, 20_000)).toBeNull()
  })
  test('is a duration above 0, or next-tick', () => {
    expect([budgetOf('next-tick', 'a.budget'), budgetOf('2s', 'a.budget')]).toEqual([{ ms: null }, { ms: 2_000 }])
    expect(() => budgetOf(0, 'a.budget')).toThrow("'a.budget' is 0")
  })
})
