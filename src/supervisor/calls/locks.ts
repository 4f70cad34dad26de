/** The app's own locks: they hang on this supervisor's presence. */
import type { LockHolder, LockOutcome, LockWish } from '../../job/lock.ts'
import type { Services } from '../services.ts'
import { answer, type CallAnswer } from './answer.ts'

/** Calls that take and free locks. */
export interface LockCalls {
  lock(wish: LockWish, taking: string): Promise<CallAnswer<LockOutcome>>
  unlock(name: string, taking: string): Promise<CallAnswer<null>>
  lockHolder(name: string): Promise<CallAnswer<LockHolder | null>>
}

/** Makes the calls that take and free locks. */
export function lockCalls({ lockLine, store, clock }: Services): LockCalls {
  return {
    lock: (wish, taking) => answer(() => lockLine.take({ ...wish, taking, lease: null })),
    unlock: (name, taking) =>
      answer(async () => {
        await lockLine.release(name, taking)
        return null
      }),
    lockHolder: (name) => answer(() => store.lockHolder(name, clock.wall())),
  }
}
