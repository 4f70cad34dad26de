/** Random programs about steps: who runs what, what they remember and wait for, what is emitted, and what dies. Abstract, so that they shrink. */
import fc from 'fast-check'
import type { StoredPayload } from '../../../src/job/payload.ts'
import type { StepTimer } from '../../../src/job/step.ts'

/** Which of the leases so far: one that is current, or any, most of which are stale. */
export interface Pick {
  readonly current: boolean
  readonly index: number
}

/** A wait before its timer is made a moment. */
export interface WaitShape {
  readonly name: string
  readonly type: 'sleep' | 'event'
  readonly event: string
  readonly match: string | null
  readonly timer: StepTimer | null
}

/** A command before it is told of which job. */
export type Action =
  | { readonly type: 'enqueue'; readonly attemptsMax: number }
  | { readonly type: 'claim'; readonly limit: number }
  | { readonly type: 'end'; readonly pick: Pick; readonly name: string; readonly value: StoredPayload }
  | { readonly type: 'fail-step'; readonly pick: Pick; readonly name: string; readonly message: string }
  | { readonly type: 'recall'; readonly pick: Pick; readonly name: string | null }
  | { readonly type: 'suspend'; readonly pick: Pick; readonly waits: readonly WaitShape[] }
  | { readonly type: 'settle'; readonly pick: Pick; readonly as: 'complete' | 'fail' | 'interrupted' }
  /** `to` null: an event; else a signal for one of the jobs (or for none that is there). */
  | {
      readonly type: 'emit'
      readonly event: string
      readonly key: string | null
      readonly to: number | null
      readonly keepMax: number
      readonly again: boolean
    }
  | { readonly type: 'wake' }
  | { readonly type: 'cancel'; readonly index: number }
  | { readonly type: 'reclaim' }

/** One commit by one handle. The clock moves before it, back as well. */
export interface ProgramStep {
  readonly handle: 0 | 1
  readonly tick: number
  /** Runs the same command again, as after a commit whose outcome is unknown. */
  readonly repeat: boolean
  readonly action: Action
}

const index = fc.nat(20)
const pick: fc.Arbitrary<Pick> = fc.record({ current: fc.constantFrom(true, true, true, false), index })
const name = fc.constantFrom('a', 'b', 'c', 'd')
const event = fc.constantFrom('x', 'x', 'y')
const key = fc.constantFrom(null, 'k', 'l')
const timer = fc.constantFrom<StepTimer>({ afterMs: 0 }, { afterMs: 1 }, { afterMs: 30 }, { afterMs: 500 }, { at: 1_000_050 })

const wait: fc.Arbitrary<WaitShape> = fc
  .record({
    name,
    type: fc.constantFrom('sleep' as const, 'event' as const, 'event' as const),
    ...{ event, match: key, timer: fc.option(timer, { freq: 2 }) },
  })
  .map((shape) => (shape.type === 'sleep' && shape.timer === null ? { ...shape, timer: { afterMs: 20 } } : shape))

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ type: fc.constant('enqueue' as const), attemptsMax: fc.constantFrom(1, 2, 3) }) },
  { weight: 7, arbitrary: fc.record({ type: fc.constant('claim' as const), limit: fc.constantFrom(1, 1, 3) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('end' as const),
      pick,
      name,
      value: fc.constantFrom(null, '1', '2', new Uint8Array([7])),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('fail-step' as const), pick, name, message: fc.constantFrom('no', 'never') }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('recall' as const), pick, name: fc.option(name) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('suspend' as const),
      pick,
      waits: fc.uniqueArray(wait, { minLength: 1, maxLength: 3, selector: (each) => each.name }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('settle' as const),
      pick,
      as: fc.constantFrom('complete' as const, 'fail' as const, 'interrupted' as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('emit' as const),
      ...{ event, key, to: fc.option(index, { freq: 2 }), keepMax: fc.constantFrom(100, 100, 3) },
      again: fc.constantFrom(false, false, false, false, true),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('wake' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel' as const), index }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reclaim' as const) }) },
)

/** Programs of up to some sixty commits. All begin with jobs to work on. */
export const programs: fc.Arbitrary<readonly ProgramStep[]> = fc
  .array(
    fc.record({
      handle: fc.constantFrom(0 as const, 1 as const),
      tick: fc.constantFrom(0, 1, 1, 30, 600, -20),
      repeat: fc.constantFrom(false, false, false, true),
      action,
    }),
    { minLength: 10, maxLength: 60, size: 'max' },
  )
  .map((steps) => {
    const first = (type: 'enqueue' | 'claim'): ProgramStep => ({
      ...{ handle: 0, tick: 1, repeat: false },
      action: type === 'enqueue' ? { type, attemptsMax: 3 } : { type, limit: 1 },
    })
    return [first('enqueue'), first('enqueue'), first('claim'), ...steps]
  })
