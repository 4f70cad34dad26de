import { describe, expect, test } from 'vitest'
import { newScheduleOf, type ScheduleOptions } from '../../../src/job/schedule/options.ts'

const made = (options: ScheduleOptions) => newScheduleOf({ name: 'nightly', kind: 'report' }, options, 'report.schedule')

test('a schedule with all its defaults filled in is plain data', () => {
  const { spec, ...rest } = made({ cron: '0 3 * * *', input: { pages: 2 } })
  expect(rest).toEqual({ name: 'nightly', kind: 'report', input: '{"pages":2}', queue: 'default', priority: 0 })
  expect(spec).toEqual({
    ...{ cron: '0 3 * * *', timeZone: 'UTC', everyMs: null, startAt: null, until: null },
    ...{ jitterMs: 0, overlap: 'skip', catchUp: 'last', breaker: null },
  })
})

test('an interval, seconds, nicknames and a bound on what is caught up are taken', () => {
  expect(made({ every: '90s', startAt: new Date(5) }).spec).toMatchObject({ everyMs: 90_000, startAt: 5, cron: null })
  expect(made({ cron: '*/5 * * * * *' }).spec.cron).toBe('*/5 * * * * *')
  expect(made({ cron: '@daily' }).spec.cron).toBe('@daily')
  expect(made({ every: '1m', catchUp: { all: true } }).spec.catchUp).toEqual({ all: true, max: 100 })
  expect(made({ every: '1m', breaker: { failures: 3 } }).spec.breaker).toEqual({ failures: 3, skipMax: 64 })
})

describe('what is wrong is refused by name', () => {
  const wrong: readonly [string, unknown][] = [
    ['report.schedule', {}],
    ['report.schedule', { cron: '0 3 * * *', every: '1m' }],
    ['report.schedule', null],
    ['report.schedule.crn', { crn: '0 3 * * *' }],
    ['report.schedule.cron', { cron: '99 * * * *' }],
    ['report.schedule.cron', { cron: '* * * *' }],
    ['report.schedule.cron', { cron: '0 0 0 1 1 * 2030' }],
    ['report.schedule.cron', { cron: '0 0 30 2 *' }],
    ['report.schedule.cron', { cron: 7 }],
    ['report.schedule.timeZone', { cron: '0 3 * * *', timeZone: 'Mars/Phobos' }],
    ['report.schedule.every', { every: '500ms' }],
    ['report.schedule.until', { every: '1m', startAt: 10, until: 9 }],
    ['report.schedule.startAt', { every: '1m', startAt: new Date('no') }],
    ['report.schedule.jitter', { every: '1m', jitter: '2d' }],
    ['report.schedule.overlap', { every: '1m', overlap: 'maybe' }],
    ['report.schedule.catchUp', { every: '1m', catchUp: 'all' }],
    ['report.schedule.catchUp.max', { every: '1m', catchUp: { all: true, max: 0 } }],
    ['report.schedule.breaker.failures', { every: '1m', breaker: { failures: 0 } }],
    ['report.schedule.priority', { every: '1m', priority: 0.5 }],
    ['report.schedule.queue', { every: '1m', queue: '' }],
  ]
  test.each(wrong)('%s of %j', (option, options) => {
    expect(() => made(options as ScheduleOptions)).toThrow(`Option '${option}' is`)
  })
  test('an input that cannot be stored', () => {
    expect(() => made({ every: '1m', input: () => 1 })).toThrow(expect.objectContaining({ code: 'REEVE_PAYLOAD_UNCLONEABLE' }))
  })
})
