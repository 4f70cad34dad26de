/** Draining: no more claims, what is only held goes back, what runs may finish; when the time is up it is interrupted. */
import type { Committer } from '../actors/committer.ts'
import type { Dispatcher } from '../actors/dispatcher.ts'
import type { Scheduler } from '../actors/scheduler.ts'
import type { Clock } from '../clock.ts'

/**
 * Resolves when nothing runs and everything is committed. After `timeoutMs` running attempts are asked to stop, and
 * after their grace their threads are ended; their jobs are `ready` again, uncharged (invariant `drain-keeps`).
 */
export async function drain(
  {
    dispatcher,
    committer,
    clock,
    scheduler,
  }: {
    readonly dispatcher: Pick<Dispatcher, 'drain' | 'interruptAll'>
    readonly committer: Pick<Committer, 'idle'>
    readonly clock: Pick<Clock, 'after'>
    readonly scheduler: Pick<Scheduler, 'stop'>
  },
  timeoutMs: number,
): Promise<void> {
  scheduler.stop()
  const empty = dispatcher.drain()
  const timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : clock.after(timeoutMs, () => dispatcher.interruptAll())
  await empty
  timer?.cancel()
  await committer.idle()
}
