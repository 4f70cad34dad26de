/**
 * `ctx.snooze` and what is like it: the handler says how its attempt ends, and is left by a throw, so that no code after the call
 * runs. The word stands from then on, whatever a `catch` on the way makes of the throw.
 */
import { type Duration, durationMs } from '../../duration.ts'
import { optionInvalid, ReeveError } from '../../errors.ts'
import type { Block } from '../../job/outcome.ts'
import { encodeError } from '../error-codec.ts'
import type { HandlerOutcome } from '../protocol.ts'
import type { LiveRun } from './live-run.ts'

/** What leaves the handler. It is nobody's to catch, and says so where somebody does. */
class LeavingHandler extends Error {
  override readonly name = 'LeavingHandler'
}

/** The ways to end an attempt early, of one run. */
export interface EarlyEnds {
  snooze(delay: Duration): never
  backOff(delay: Duration): never
  releaseGroup(delay: Duration): never
  discard(reason: string): never
}

/** Makes the functions of one run. */
export function makeEarlyEnds(run: LiveRun): EarlyEnds {
  const snooze = (call: string, delay: Duration, scope?: Block['scope']): never => {
    const delayMs = durationMs(delay, `${call}(delay)`)
    return leave(run, call, { type: 'snoozed', delayMs, ...(scope !== undefined && { block: { scope, delayMs } }) })
  }
  return {
    snooze: (delay) => snooze('snooze', delay),
    backOff: (delay) => snooze('backOff', delay, 'queue'),
    releaseGroup: (delay) => snooze('releaseGroup', delay, 'group'),
    discard(reason) {
      if (typeof reason !== 'string') throw optionInvalid('discard(reason)', reason, 'a text')
      const { jobId, kind, attempt } = run.assignment
      const error = new ReeveError('REEVE_DISCARD_REQUESTED', `The handler discarded the job: ${reason}`, {
        jobId,
        kind,
        attempt,
      })
      return leave(run, 'discard', { type: 'discarded', error: encodeError(error) })
    },
  }
}

function leave(run: LiveRun, call: string, outcome: HandlerOutcome): never {
  const { jobId, kind, attempt } = run.assignment
  if (run.over)
    throw new ReeveError(
      'REEVE_ATTEMPT_STOPPED',
      `Attempt ${attempt} of job ${jobId} (${kind}) is over: ctx.${call} comes too late.`,
      {
        jobId,
        kind,
        attempt,
      },
    )
  // The first word stands: a `catch` that calls another one has not asked for it.
  run.asked ??= outcome
  throw new LeavingHandler(`ctx.${call} leaves the handler by this throw: await what calls it, and let the throw pass.`)
}
