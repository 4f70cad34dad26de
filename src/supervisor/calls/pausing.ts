/** Pausing and resuming, of queues, kinds and groups; and letting a kind go that its breaker holds back. */
import type { Pause, PauseTarget } from '../../job/pause.ts'
import type { Services } from '../services.ts'
import { answer, type CallAnswer } from './answer.ts'

/** Calls that hold jobs back. */
export interface PausingCalls {
  pause(pause: Pause): Promise<CallAnswer<null>>
  resume(target: PauseTarget): Promise<CallAnswer<null>>
  paused(): Promise<CallAnswer<readonly Pause[]>>
  closeBreaker(kind: string): Promise<CallAnswer<null>>
}

/** Makes the calls that hold jobs back. */
export function pausingCalls({ committer, clock, store, dispatcher }: Services): PausingCalls {
  return {
    pause: (pause) =>
      answer(async () => {
        await committer.submit({ type: 'pause', now: clock.wall(), ...pause })
        return null
      }),
    resume: (target) =>
      answer(async () => {
        await committer.submit({ type: 'resume', target })
        dispatcher.wake()
        return null
      }),
    paused: () => answer(() => store.pauses(clock.wall())),
    closeBreaker: (kind) =>
      answer(async () => {
        await committer.submit({ type: 'close-breaker', kind })
        dispatcher.wake()
        return null
      }),
  }
}
