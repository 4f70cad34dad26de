/** All that the client calls by comlink, area by area: each area is a file of this folder. */

import type { Consumers } from '../inline/consumers.ts'
import type { Services } from '../services.ts'
import { type ConsumingCalls, consumingCalls } from './consuming.ts'
import { type InspectionCalls, inspectionCalls } from './inspection.ts'
import { type KeyValueCalls, keyValueCalls } from './key-values.ts'
import { type KindCalls, kindCalls } from './kinds.ts'
import { type LifeCalls, lifeCalls } from './life.ts'
import { type LockCalls, lockCalls } from './locks.ts'
import { type PausingCalls, pausingCalls } from './pausing.ts'
import { type ScheduleCalls, scheduleCalls } from './schedules.ts'
import { type SteeringCalls, steeringCalls } from './steering.ts'
import { type StepCalls, stepCalls } from './steps.ts'

/** What the client calls by comlink. */
export interface SupervisorCalls
  extends ConsumingCalls,
    InspectionCalls,
    KeyValueCalls,
    KindCalls,
    LifeCalls,
    LockCalls,
    PausingCalls,
    ScheduleCalls,
    SteeringCalls,
    StepCalls {}

/** Makes the calls of one runtime. `close` ends its supervisor thread. */
export function supervisorCalls(services: Services, close: () => Promise<void>, consumers: Consumers): SupervisorCalls {
  const running = { ...scheduleCalls(services), ...stepCalls(services), ...consumingCalls(services, consumers) }
  const looking = { ...inspectionCalls(services), ...keyValueCalls(services), ...kindCalls(services), ...lockCalls(services) }
  return { ...looking, ...lifeCalls(services, close), ...steeringCalls(services), ...pausingCalls(services), ...running }
}
