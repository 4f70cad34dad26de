/**
 * The published rule of daylight saving, held against a spring and an autumn night in three zones. The expected instants are
 * worked out by hand from the zones' rules, and stand here as UTC.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { latestInstants, nextInstant, type Timing } from '../../../src/job/schedule/instants.ts'
import { quickSeed } from '../../support/seed.ts'

const hourMs = 60 * 60_000

function timing(cron: string, timeZone: string): Timing {
  return { cron, timeZone, everyMs: null, startAt: null, until: null }
}

/** All instants from one moment to another, as ISO text without the parts that are the same for all. */
function firesOf(cron: string, timeZone: string, from: string, to: string): string[] {
  const end = Date.parse(to)
  const fires: string[] = []
  for (let at = nextInstant(timing(cron, timeZone), Date.parse(from)); at !== null && at <= end; ) {
    fires.push(new Date(at).toISOString().slice(0, 16))
    at = nextInstant(timing(cron, timeZone), at)
  }
  return fires
}

const spring = [
  // In Berlin 02:00 is 03:00 at 01:00 UTC; in New York at 07:00 UTC; on Lord Howe 02:00 is 02:30 at 15:30 UTC.
  { zone: 'Europe/Berlin', day: ['2026-03-28T23:00Z', '2026-03-29T22:00Z'], gap: '30 2 * * *', end: '2026-03-29T01:00' },
  { zone: 'America/New_York', day: ['2026-03-08T04:59Z', '2026-03-09T03:59Z'], gap: '30 2 * * *', end: '2026-03-08T07:00' },
  { zone: 'Australia/Lord_Howe', day: ['2026-10-03T13:29Z', '2026-10-04T12:59Z'], gap: '15 2 * * *', end: '2026-10-03T15:30' },
] as const

describe.each(spring)('a spring night in $zone', ({ zone, day: [from, to], gap, end }) => {
  test('a time that does not exist fires once, right after the gap', () => {
    expect(firesOf(gap, zone, from, to)).toEqual([end])
  })
  test('a list with such a time fires that one after the gap and the others as ever', () => {
    expect(firesOf(gap.replace(' 2 ', ' 2,14 '), zone, from, to)).toEqual([end, expect.stringMatching(/T/)])
  })
  test('every hour fires once in each hour that there is', () => {
    const fires = firesOf('0 * * * *', zone, from, to).map((at) => Date.parse(`${at}Z`))
    // On Lord Howe only 02:00 to 02:30 is left out, and with it the full hour.
    expect(fires).toHaveLength(23)
    expect(new Set(fires).size).toBe(fires.length)
  })
})

const autumn = [
  // In Berlin 03:00 is 02:00 at 01:00 UTC; in New York 02:00 is 01:00 at 06:00 UTC; on Lord Howe 02:00 is 01:30 at 15:00 UTC.
  { zone: 'Europe/Berlin', day: ['2026-10-24T21:59Z', '2026-10-25T22:59Z'], twice: '30 2 * * *', first: '2026-10-25T00:30' },
  { zone: 'America/New_York', day: ['2026-11-01T03:59Z', '2026-11-02T04:59Z'], twice: '30 1 * * *', first: '2026-11-01T05:30' },
  {
    zone: 'Australia/Lord_Howe',
    day: ['2026-04-04T12:59Z', '2026-04-05T13:29Z'],
    twice: '45 1 * * *',
    first: '2026-04-04T14:45',
  },
] as const

describe.each(autumn)('an autumn night in $zone', ({ zone, day: [from, to], twice, first }) => {
  test('a time that exists twice fires the first time only', () => {
    expect(firesOf(twice, zone, from, to)).toEqual([first])
  })
  test('a pattern with a step follows the clock on the wall, and fires in both of the equal stretches', () => {
    const fires = firesOf('*/15 * * * *', zone, from, to).map((at) => Date.parse(`${at}Z`))
    const gaps = new Set(fires.slice(1).map((at, index) => at - (fires[index] ?? 0)))
    expect([...gaps]).toEqual([15 * 60_000])
    expect(fires).toHaveLength((zone === 'Australia/Lord_Howe' ? 24.5 : 25) * 4)
  })
})

test('an interval does not care for clocks on walls', () => {
  const every: Timing = { ...timing('', 'Europe/Berlin'), cron: null, everyMs: 6 * hourMs }
  expect(latestInstants(every, Date.parse('2026-03-28T23:00Z'), Date.parse('2026-03-29T23:00Z'), 10)?.latest).toEqual(
    ['00:00', '06:00', '12:00', '18:00'].map((time) => Date.parse(`2026-03-29T${time}Z`)),
  )
})

const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'America/Santiago', 'UTC']
const crons = [
  '30 2 * * *',
  '30 1,2 * * *',
  '0 0 * * *',
  '0 * * * *',
  '*/7 1-3 * * *',
  '*/10 * * * * *',
  '15 2 * * 0',
  '0 2 L * *',
]
/** Around all changes of these zones in 2026, and elsewhere. */
const moment = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2026-12-31') })

test(`the next instant is the same from wherever it is asked for (REEVE_SEED=${quickSeed})`, () => {
  const changes = [...spring, ...autumn].map(({ day }) => Date.parse(day[0]))
  const near = fc.tuple(fc.constantFrom(...changes), fc.integer({ min: -hourMs, max: 30 * hourMs })).map(([at, by]) => at + by)
  fc.assert(
    fc.property(
      ...[
        fc.constantFrom(...zones),
        fc.constantFrom(...crons),
        fc.oneof(moment, near),
        fc.double({ min: 0, max: 1, noNaN: true }),
      ],
      (zone, cron, from, part) => {
        const next = nextInstant(timing(cron as string, zone as string), from as number)
        if (next === null) throw new Error('no next instant')
        expect(next).toBeGreaterThan(from as number)
        const between = Math.floor((from as number) + (next - 1 - (from as number)) * (part as number))
        expect(nextInstant(timing(cron as string, zone as string), between)).toBe(next)
      },
    ),
    { seed: quickSeed, numRuns: 1_000 },
  )
})
