import { expect, test } from 'vitest'
import { type RetentionRule, retentionBounds, retentionDefaults, ruleOf } from '../../src/job/retention.ts'

const day = 86_400_000

test('a week is kept, and a month of dead letters, unless a rule says otherwise; rules go before that', () => {
  expect(retentionBounds()).toEqual(retentionDefaults)
  const bounds = retentionBounds([{ kind: 'mail', state: ['completed', 'cancelled'], maxAge: '1h', maxCount: 5 }])
  expect(bounds[0]).toEqual({
    states: ['completed', 'cancelled'],
    kinds: ['mail'],
    queues: null,
    maxAgeMs: 3_600_000,
    maxCount: 5,
  })
  expect(bounds.slice(1)).toEqual(retentionDefaults)
  const ageOf = (state: 'completed' | 'discarded', kind: string) =>
    bounds[ruleOf({ state, kind, queue: 'default' }, bounds)]?.maxAgeMs
  expect([ageOf('completed', 'mail'), ageOf('discarded', 'mail'), ageOf('completed', 'x')]).toEqual([
    3_600_000,
    30 * day,
    7 * day,
  ])
})

test('false keeps all for ever, and so does an infinite age for what its rule matches', () => {
  expect(retentionBounds(false)).toEqual([])
  expect(retentionBounds([{ kind: 'mail', maxAge: Number.POSITIVE_INFINITY }])[0]).toMatchObject({
    maxAgeMs: null,
    maxCount: null,
  })
})

test.each([
  [{}, "Option 'retention[0]' is an object; accepted: a rule with `maxAge`, `maxCount` or both."],
  [{ maxAge: 'soon' }, "Option 'retention[0].maxAge' is 'soon'"],
  [{ maxCount: -1 }, "Option 'retention[0].maxCount' is -1"],
  [
    { state: 'ready', maxAge: 0 },
    "Option 'retention[0].state' is 'ready'; accepted: one or more of completed, cancelled, discarded.",
  ],
  [{ kinds: ['a'], maxAge: 0 }, "Option 'retention[0].kinds' is an array; accepted: no such option; there are state, kind"],
  [{ queue: '', maxAge: 0 }, "Option 'retention[0].queue' is ''"],
  [null, "Option 'retention[0]' is null"],
])('the rule %j is refused in words', (rule, message) => {
  expect(() => retentionBounds([rule as RetentionRule])).toThrow(message)
})

test('what is no list of rules is refused', () => {
  expect(() => retentionBounds('7d' as never)).toThrow(
    "Option 'retention' is '7d'; accepted: false, or a list of up to 1000 rules",
  )
})
