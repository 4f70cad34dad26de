/** Random limits, pauses, resumes and closed breakers: few names and small numbers, so that they meet jobs. */
import fc from 'fast-check'
import type { GlobalLimit } from '../../../src/job/declared-limits.ts'
import type { LocalLimit } from '../../../src/job/limits.ts'
import type { PauseTarget } from '../../../src/job/pause.ts'
import type { DeclareLimitsCommand } from '../../../src/persistence/commands/declare-limits.ts'

/** A command on gates before it is told of when. */
export type GateAction =
  | ({ readonly type: 'declare-limits' } & Pick<DeclareLimitsCommand, 'limits' | 'kinds' | 'queues'>)
  | { readonly type: 'pause'; readonly target: PauseTarget; readonly delay: number | null }
  | { readonly type: 'resume'; readonly target: PauseTarget }
  | { readonly type: 'close-breaker'; readonly kind: string }

/** The groups of jobs; null for none. */
export const group: fc.Arbitrary<string | null> = fc.constantFrom(null, null, 'ann', 'bob', 'cy')

const few = fc.constantFrom(null, 1, 2)
// A ring of one size a scope: what is kept of one that has changed its size depends on when it was looked at.
const kindLimit: fc.Arbitrary<GlobalLimit> = fc.record({
  scope: fc.constant('kind' as const),
  name: fc.constantFrom('resize', 'send'),
  concurrency: few,
  groupConcurrency: few,
  rate: fc.constantFrom(null, { slots: 2, windowMs: 50 }),
  groupRate: fc.constantFrom(null, null, null, null, null, { slots: 1, windowMs: 40 }),
  resource: fc.constantFrom(null, 'gpu'),
  exclusive: fc.constantFrom(null, ['door'], ['door', 'mail']),
})
const queueLimit: fc.Arbitrary<GlobalLimit> = fc.record({
  scope: fc.constant('queue' as const),
  name: fc.constantFrom('default', 'mail'),
  concurrency: few,
  groupConcurrency: few,
  rate: fc.constantFrom(null, null, { slots: 3, windowMs: 60 }),
  groupRate: fc.constant(null),
  resource: fc.constant(null),
  exclusive: fc.constant(null),
})
const resource: fc.Arbitrary<GlobalLimit> = fc.constantFrom(1, 2).map((concurrency) => ({
  ...{
    scope: 'resource',
    name: 'gpu',
    concurrency,
    groupConcurrency: null,
    rate: null,
    groupRate: null,
    resource: null,
    exclusive: null,
  },
}))

/** What a claim limits for itself. */
export const localLimits: fc.Arbitrary<readonly LocalLimit[]> = fc.constantFrom<readonly LocalLimit[]>(
  [],
  [],
  [],
  [{ kinds: ['send'], queue: null, limit: 1 }],
  [{ kinds: null, queue: 'mail', limit: 2 }],
)

const target: fc.Arbitrary<PauseTarget> = fc.constantFrom<PauseTarget>(
  { queue: 'mail' },
  { kind: 'send' },
  { queue: 'default', group: 'ann' },
  { queue: 'mail', group: 'ann' },
)

/** Closes a breaker by hand, which is seldom open. */
export const closeBreaker: fc.Arbitrary<GateAction> = fc.record({
  type: fc.constant('close-breaker' as const),
  kind: fc.constantFrom('resize', 'send'),
})

/** One command on gates. */
export const gateAction: fc.Arbitrary<GateAction> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('declare-limits' as const),
      limits: fc.uniqueArray(fc.oneof(kindLimit, queueLimit, resource), {
        maxLength: 3,
        selector: ({ scope, name }) => scope + name,
      }),
      kinds: fc.constantFrom([], ['resize', 'send'], ['resize', 'send']),
      queues: fc.constantFrom(null, null, ['mail'], []),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('pause' as const), target, delay: fc.constantFrom(null, 1, 40, 300) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('resume' as const), target }) },
)
