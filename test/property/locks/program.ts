/** What may happen to locks: two supervisors, their jobs and their apps, and a clock that goes on. */
import fc from 'fast-check'

const names = ['a', 'b'] as const
const supervisors = [0, 1] as const

/** One step of a program. Indices pick among what there is. */
export type LockStep =
  | { readonly type: 'claim'; readonly supervisor: number }
  /** By the attempt of a job, by one that is over (`late`), or by an app; `again` repeats the last one. */
  | {
      readonly type: 'lock'
      readonly name: string
      readonly by: 'job' | 'late' | 'app'
      readonly pick: number
      readonly ttlMs: number | null
    }
  | { readonly type: 'again' }
  /** Frees a taking, the last one of all or an older one. */
  | { readonly type: 'unlock'; readonly pick: number }
  | { readonly type: 'settle'; readonly pick: number }
  | { readonly type: 'die'; readonly supervisor: number }
  | { readonly type: 'pass'; readonly ms: number }

const pick = fc.nat({ max: 5 })
const supervisor = fc.constantFrom(...supervisors)

/** Lists of steps. */
export const lockPrograms: fc.Arbitrary<LockStep[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ type: fc.constant('claim' as const), supervisor }) },
    {
      weight: 8,
      arbitrary: fc.record({
        type: fc.constant('lock' as const),
        name: fc.constantFrom(...names),
        by: fc.constantFrom('job' as const, 'job' as const, 'app' as const, 'late' as const),
        pick,
        ttlMs: fc.option(fc.integer({ min: 1, max: 40 })),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('again' as const) }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('unlock' as const), pick }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('settle' as const), pick }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('die' as const), supervisor }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 30 }) }) },
  ),
  { maxLength: 40 },
)
