/** `ctx.lock`: the supervisor takes the lock under the attempt's lease, so it is free whenever the attempt is over. */
import { realClock } from '../../clock.ts'
import type { JobContext } from '../../job/context.ts'
import { holding } from '../../job/holding.ts'
import { ask } from './ask.ts'
import type { Desk } from './desk.ts'
import type { LiveRun } from './live-run.ts'

const clock = realClock({ ref: false })

/** Makes the locks of a run. */
export function makeLock(run: LiveRun, desk: Desk): JobContext['lock'] {
  const { jobId, token } = run.assignment
  let takings = 0
  return (name, fn, options) =>
    holding(
      {
        clock,
        take: (wish, taking) => ask<'lock'>(run, desk, { type: 'lock', wish, taking }),
        release: (lock, taking) => ask<'unlock'>(run, desk, { type: 'unlock', name: lock, taking }).catch(freeAnyway),
        newTaking: () => `${jobId}/${token}/${++takings}`,
        over: () => run.stopError('lease-lost'),
        onLost(lost) {
          const { signal } = run
          const onAbort = () => lost(signal.reason)
          if (signal.aborted) onAbort()
          else signal.addEventListener('abort', onAbort, { once: true })
          return () => signal.removeEventListener('abort', onAbort)
        },
      },
      name,
      fn,
      options,
    )
}

/** The lock hangs on the attempt: where the release is refused because that is over, there is nothing to free. */
function freeAnyway(error: unknown): void {
  if ((error as { code?: unknown } | null)?.code !== 'REEVE_ATTEMPT_STOPPED') throw error
}
