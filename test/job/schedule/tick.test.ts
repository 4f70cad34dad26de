import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dueTime, latestInstants, nextInstant } from '../../../src/job/schedule/instants.ts'
import type { CatchUp, ScheduleSpec } from '../../../src/job/schedule/spec.ts'
import { dueTicks, lateAfterMs } from '../../../src/job/schedule/tick.ts'
import { quickSeed } from '../../support/seed.ts'

const minuteMs = 60_000

function spec(given: Partial<ScheduleSpec> = {}): ScheduleSpec {
  const timing = { cron: '* * * * *', timeZone: 'UTC', everyMs: null, startAt: null, until: null }
  return { ...timing, jitterMs: 0, overlap: 'skip', catchUp: 'last', breaker: null, ...given }
}

describe('ticks that are due', () => {
  test('with none due nothing is run and the cursor stays', () => {
    expect(dueTicks(spec(), 0, minuteMs - 1)).toEqual({ run: [], skipped: null, cursor: 0, nextAt: minuteMs })
  })
  test('one that is looked at late, but not too late, is on time; the next is counted from it and not from now', () => {
    const now = minuteMs + lateAfterMs
    const run = [{ instant: minuteMs, nextAt: 2 * minuteMs, isCatchUp: false }]
    expect(dueTicks(spec({ catchUp: 'skip' }), 0, now)).toEqual({ run, skipped: null, cursor: minuteMs, nextAt: 2 * minuteMs })
  })
  test('the first of `startAt` is at `startAt`, the last of `until` at `until`', () => {
    const every = spec({ cron: null, everyMs: 5_000, startAt: 1_234, until: 11_234 })
    expect([0, 1_234, 6_234, 11_234].map((after) => nextInstant(every, after))).toEqual([1_234, 6_234, 11_234, null])
    expect(nextInstant(spec({ startAt: minuteMs, until: minuteMs }), 0)).toBe(minuteMs)
    expect(nextInstant(spec({ startAt: minuteMs, until: minuteMs }), minuteMs)).toBeNull()
  })
  test('a gap of years of seconds is decided without walking through it', () => {
    const years = Date.parse('2027-01-01') - 45_000
    const seconds = spec({ cron: '* * 3 * 1 *', catchUp: { all: true, max: 3 } })
    const { run, skipped } = dueTicks(seconds, Date.parse('2020-01-01'), years)
    const last = Date.parse('2026-01-31T03:59:59Z')
    expect(run.map(({ instant }) => instant)).toEqual([last - 2_000, last - 1_000, last])
    expect(skipped).toEqual({ from: Date.parse('2020-01-01T03:00:00Z'), to: last - 3_000, count: null, reason: 'catch-up-limit' })
  })
})

const catchUps = fc.oneof(
  fc.constantFrom<CatchUp>('skip', 'last'),
  fc.integer({ min: 1, max: 5 }).map((max): CatchUp => ({ all: true, max })),
)
const timings = fc.constantFrom<Partial<ScheduleSpec>>(
  { cron: '*/7 * * * *' },
  { cron: '30 2 * * *', timeZone: 'Europe/Berlin' },
  { cron: '*/5 10-12 * * 1-5', timeZone: 'America/New_York' },
  { cron: null, everyMs: 1_000 },
  { cron: null, everyMs: 333_333, startAt: Date.parse('2026-03-29T00:10:00Z') },
  { cron: '*/10 * * * * *', until: Date.parse('2026-03-29T01:00:00Z') },
)

test(`gap-policy: every instant of a gap is run or on record, once, as the policy says (REEVE_SEED=${quickSeed})`, () => {
  const from = Date.parse('2026-03-28T20:00:00Z')
  const cursors = fc.integer({ min: from, max: from + 6 * 60 * minuteMs })
  fc.assert(
    fc.property(timings, catchUps, cursors, fc.integer({ min: 0, max: 90 * minuteMs }), (timing, catchUp, cursor, gap) => {
      const schedule = spec({ ...timing, catchUp })
      const now = cursor + gap
      const all = latestInstants(schedule, cursor, now, 100_000)?.latest ?? []
      const { run, skipped, cursor: decided, nextAt } = dueTicks(schedule, cursor, now)
      const ran = run.map(({ instant }) => instant)
      const recorded = skipped === null ? [] : all.filter((at) => at >= skipped.from && at <= skipped.to)
      expect([...recorded, ...ran]).toEqual(all)
      if (skipped?.count != null) expect(skipped.count).toBe(recorded.length)
      expect(decided).toBe(all.at(-1) ?? cursor)
      expect(nextAt).toBe(nextInstant(schedule, decided))
      expect(run.map((tick) => tick.nextAt)).toEqual(ran.length === 0 ? [] : [...ran.slice(1), nextAt])
      const late = all.filter((at) => at !== all.at(-1) || now - at > lateAfterMs)
      expect(run.filter(({ isCatchUp }) => isCatchUp).map(({ instant }) => instant)).toEqual(
        ran.filter((at) => late.includes(at)),
      )
      const most = catchUp === 'skip' ? all.length - late.length : catchUp === 'last' ? 1 : catchUp.max
      expect(ran).toHaveLength(Math.min(most, all.length))
    }),
    { seed: quickSeed, numRuns: 300 },
  )
})

test('jitter is a fixed part of its span for each tick, whoever asks, and differs between schedules and ticks', () => {
  const times = ['a', 'b'].flatMap((name) => [1_000, 2_000].map((instant) => dueTime(name, instant, 60_000) - instant))
  expect(new Set(times).size).toBe(4)
  for (const time of times) expect(time >= 0 && time < 60_000).toBe(true)
  expect(dueTime('a', 1_000, 60_000) - 1_000).toBe(times[0])
  expect(dueTime('a', 1_000, 0)).toBe(1_000)
})
