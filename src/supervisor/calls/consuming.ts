/** Inline consumers: jobs that run in the app's own thread. */
import { ReeveError } from '../../errors.ts'
import type { WorkOrder } from '../../job/inline-work.ts'
import type { OwnerId } from '../../job/lease.ts'
import type { Consumers } from '../inline/consumers.ts'
import type { Services } from '../services.ts'
import { answer, type CallAnswer } from './answer.ts'

/** Calls of inline consumers. */
export interface ConsumingCalls {
  /** Whose the leases are: the app holds a lock of its own in this name while its handlers run. */
  owner(): Promise<CallAnswer<OwnerId>>
  consume(order: WorkOrder): Promise<CallAnswer<null>>
}

/** Makes the calls of inline consumers. */
export function consumingCalls({ presence }: Services, consumers: Consumers): ConsumingCalls {
  return {
    owner: () => answer(() => presence.owner),
    consume: (order) =>
      answer(() => {
        if (order.owner !== presence.owner)
          throw new ReeveError('REEVE_SUPERVISOR_DIED', 'The supervisor thread that was meant is gone.')
        consumers.begin(order)
        return null
      }),
  }
}
