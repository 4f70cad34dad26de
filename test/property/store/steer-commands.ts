/** Makes commands of what a random program does by hand. */
import type { JobId } from '../../../src/job/lease.ts'
import type { SteerAct, SteerCommand } from '../../../src/persistence/commands/steer.ts'
import type { SteerShape } from './program-steering.ts'

/** What of the moment a command is made with. */
export interface SteerMoment {
  readonly now: number
  /** New for each command. */
  readonly operation: string
  jobId(index: number): JobId
}

/** The command of a shape. */
export function steerCommand(shape: SteerShape, { now, operation, jobId }: SteerMoment): SteerCommand {
  const { kinds, queues, states, indexes, errorCode, settledBefore, createdAfter, room } = shape
  const given = { kinds, queues, states, errorCode, ids: indexes?.map(jobId) }
  const times = {
    settledBefore: settledBefore === null ? null : now + settledBefore,
    createdAfter: createdAfter === null ? null : now + createdAfter,
  }
  const criteria = Object.fromEntries(Object.entries({ ...given, ...times }).filter(([, value]) => value != null))
  return { type: 'steer', now, operation, page: 0, act: actOf(shape, now), criteria, cursor: null, room }
}

function actOf({ act, delay, attemptsMax, input }: SteerShape, now: number): SteerAct {
  if (act === 'discard') return { type: act, error: { name: 'ReeveError', code: 'REEVE_DISCARD_REQUESTED', message: 'enough' } }
  if (act !== 'retry') return { type: act }
  return { type: act, runAt: now + delay, attemptsMax, ...(input !== null && { input: { payload: input } }) }
}
