import { expect, test } from 'vitest'
import { declaredLimits } from '../../src/job/declared-limits.ts'
import { defineJobs, job, kindSettings } from '../../src/job/definition.ts'
import { kindLimits, type RateLimit, ringOf } from '../../src/job/limits.ts'

const run = () => undefined

test.each<[RateLimit, object]>([
  [
    { limit: 5, per: '1s', mode: 'burst' },
    { slots: 5, windowMs: 1_000 },
  ],
  [
    { limit: 1, per: '1s' },
    { slots: 1, windowMs: 1_000 },
  ],
  [
    { limit: 100, per: '1s' },
    { slots: 1, windowMs: 10 },
  ],
  [
    { limit: 3, per: '1s' },
    { slots: 1, windowMs: 334 },
  ],
  [
    { limit: 700, per: '1s' },
    { slots: 7, windowMs: 10 },
  ],
  [
    { limit: 100, per: '1m' },
    { slots: 1, windowMs: 600 },
  ],
  [
    { limit: 5_000, per: 100, mode: 'smooth' },
    { slots: 50, windowMs: 1 },
  ],
])('the rate %o is kept as %o', (rate, ring) => {
  expect(ringOf(rate, 'rate')).toEqual(ring)
})

test('a smooth rate is never above what was asked for, and next to nothing below', () => {
  for (let limit = 1; limit < 3_000; limit += 7) {
    const { slots, windowMs } = ringOf({ limit, per: '1s' }, 'rate')
    const kept = (slots / windowMs) * 1_000
    expect(kept).toBeLessThanOrEqual(limit + 1e-9)
    expect(kept).toBeGreaterThan(limit * 0.98)
  }
})

test.each<[object, RegExp]>([
  [{ concurrency: 0 }, /'k.concurrency' is 0; accepted: a whole number from 1/],
  [{ concurrency: { limit: 2, reach: 'here' } }, /'k.concurrency.reach' is 'here'; accepted: 'local' or 'global'/],
  [{ concurrency: { capacity: 2 } }, /'k.concurrency' is an object; accepted: .*limit, reach/],
  [{ groupConcurrency: 1.5 }, /'k.groupConcurrency' is 1.5/],
  [{ rateLimit: { limit: 3 } }, /'k.rateLimit.per' is undefined/],
  [{ rateLimit: { limit: 3, per: 0 } }, /'k.rateLimit.per' is 0; accepted: a duration from 1 ms/],
  [{ rateLimit: { limit: 3, per: '1s', mode: 'even' } }, /'k.rateLimit.mode' is 'even'/],
  [{ rateLimit: { max: 3, per: '1s' } }, /'k.rateLimit' is an object; accepted: an object with limit, per and mode/],
  [{ groupRateLimit: 7 }, /'k.groupRateLimit' is 7/],
  [{ resource: '' }, /'k.resource' is ''; accepted: the name of a resource/],
])('the options %o of a kind are refused by name, with the value and what is accepted', (options, message) => {
  expect(() => defineJobs({ k: job({ ...(options as object), run }) })).toThrow(message)
})

const catalogOf = (kinds: Record<string, Parameters<typeof job>[0]>) =>
  Object.fromEntries(Object.entries(kinds).map(([kind, options]) => [kind, kindSettings(job(options as never), kind)]))

test('limits are sorted by their reach: the store keeps those of all, a claim takes those of its own along', () => {
  const catalog = catalogOf({
    plain: { run },
    here: { run, concurrency: { limit: 2, reach: 'local' }, groupConcurrency: 1 },
    gpu: { run, resource: 'gpu', rateLimit: { limit: 1, per: 5 } },
    disk: { run, resource: 'disk' },
  })
  const queueLimits = { mail: { concurrency: { limit: 5, reach: 'global' } }, none: {} } as const
  const resources = { gpu: { limit: 1, reach: 'global' }, disk: { limit: 3, reach: 'local' } } as const
  const { global, local } = declaredLimits({ catalog, queueLimits, resources })
  const none = { concurrency: null, groupConcurrency: null, rate: null, groupRate: null, resource: null, exclusive: null }
  expect(global).toEqual([
    { ...none, scope: 'kind', name: 'here', groupConcurrency: 1 },
    { ...none, scope: 'kind', name: 'gpu', resource: 'gpu', rate: { slots: 1, windowMs: 5 } },
    { ...none, scope: 'queue', name: 'mail', concurrency: 5 },
    { ...none, scope: 'resource', name: 'gpu', concurrency: 1 },
  ])
  expect(local).toEqual([
    { kinds: ['here'], queue: null, limit: 2 },
    { kinds: ['disk'], queue: null, limit: 3 },
  ])
})

test('a kind that names a resource which nothing declares is refused by name', () => {
  const catalog = catalogOf({ render: { run, resource: 'gpu' } })
  const resources = { disk: { limit: 1, reach: 'global' } } as const
  expect(() => declaredLimits({ catalog, queueLimits: {}, resources })).toThrow(
    /'render.resource' is 'gpu'; accepted: a resource of createRuntime.*there are disk/,
  )
})

test('the locks of a kind are sorted, and what is no list of names is refused by name', () => {
  expect(kindLimits({ exclusive: ['b', 'a'] }, 'k')).toEqual({ limits: { exclusive: ['a', 'b'] } })
  for (const wrong of [[], ['a', 'a'], [''], 'a', [1]] as never[])
    expect(() => kindLimits({ exclusive: wrong }, 'k')).toThrow(expect.objectContaining({ code: 'REEVE_OPTION_INVALID' }))
})
