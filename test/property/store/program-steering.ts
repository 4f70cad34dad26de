/** What is done by hand, in random programs. */
import fc from 'fast-check'
import type { StoredPayload } from '../../../src/job/payload.ts'
import type { JobState } from '../../../src/job/state.ts'
import type { SteerAct } from '../../../src/persistence/commands/steer.ts'

/** An act, and whom it is meant for: points of time relative to now, ids as picks. */
export interface SteerShape {
  readonly act: SteerAct['type']
  readonly delay: number
  readonly attemptsMax: number | null
  /** Null leaves the input as it is. */
  readonly input: StoredPayload
  readonly indexes: readonly number[] | null
  readonly states: readonly JobState[] | null
  readonly kinds: readonly string[] | null
  readonly queues: readonly string[] | null
  readonly settledBefore: number | null
  readonly createdAfter: number | null
  readonly errorCode: string | null
  readonly room: number
}

const seldom = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value })

/** Acts by hand. `payload` are the inputs there are. */
export function steerShapes(payload: fc.Arbitrary<StoredPayload>): fc.Arbitrary<SteerShape> {
  return fc.record({
    act: fc.constantFrom(...(['retry', 'retry', 'retry', 'park', 'park', 'reopen', 'reopen', 'discard', 'delete'] as const)),
    delay: fc.constantFrom(0, 0, 40),
    attemptsMax: fc.constantFrom(null, null, 1, 2),
    input: seldom(payload),
    indexes: seldom(fc.array(fc.nat(50), { maxLength: 3 })),
    states: seldom(fc.constantFrom<readonly JobState[]>(['discarded'], ['cancelled', 'completed'], ['ready', 'parked'])),
    kinds: seldom(fc.constantFrom(['resize'], ['resize', 'send'], [])),
    queues: seldom(fc.constantFrom(['mail'], ['default'])),
    settledBefore: seldom(fc.constantFrom(0, -30)),
    createdAfter: seldom(fc.constantFrom(-30, 0)),
    errorCode: seldom(fc.constantFrom('REEVE_ATTEMPT_LOST', 'REEVE_JOB_CRASHED', 'REEVE_DISCARD_REQUESTED')),
    room: fc.constantFrom(1, 2, 100),
  })
}
