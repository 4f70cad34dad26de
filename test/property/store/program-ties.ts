/** Ties between jobs, in random programs. */
import fc from 'fast-check'
import type { AfterFailed } from '../../../src/job/flow.ts'
import type { UniqueConflict } from '../../../src/job/unique-key.ts'

/** What ties a job to others; indexes are picked among the jobs before it. */
export interface TieShape {
  readonly unique: {
    readonly key: string
    readonly scope: 'kind' | 'queue'
    readonly conflict: UniqueConflict
    readonly windowMs: number | null
    readonly maxWaitMs: number | null
  } | null
  readonly after: { readonly jobs: readonly number[] | 'batch'; readonly ifFailed: AfterFailed } | null
  readonly correlationId: string | null
}

const unique = fc.record({
  key: fc.constantFrom('k', 'k', 'k', 'l'),
  scope: fc.constantFrom('kind' as const, 'kind' as const, 'queue' as const),
  conflict: fc.constantFrom<UniqueConflict>('reuse', 'reuse-completed', 'reject', 'replace', 'latest', 'latest', 'debounce'),
  windowMs: fc.constantFrom(null, null, 5, 100),
  maxWaitMs: fc.constantFrom(null, 50),
})
const after = fc.record({
  jobs: fc.oneof(
    { weight: 5, arbitrary: fc.array(fc.nat(60), { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant('batch' as const) },
  ),
  ifFailed: fc.constantFrom<AfterFailed>('discard', 'cancel', 'run'),
})
const correlationId = fc.constantFrom(null, null, 'order-1')

/** The ties of a job: in a program that is about them nearly every job has some, else few have. */
export function tieShapes(gating: 'free' | 'gated' | 'tied'): fc.Arbitrary<TieShape | null> {
  return fc.oneof(
    { weight: gating === 'tied' ? 1 : 12, arbitrary: fc.constant(null) },
    { weight: 3, arbitrary: fc.record({ unique, after: fc.constant(null), correlationId }) },
    { weight: 2, arbitrary: fc.record({ unique: fc.constant(null), after, correlationId }) },
  )
}
