/**
 * `ctx.enqueue`: keeps the jobs that a handler enqueues until it returns. They go with its outcome, and are written by the settle
 * that completes its job; whatever else the attempt comes to leaves none of them.
 */
import { realClock } from '../../clock.ts'
import { optionInvalid, ReeveError } from '../../errors.ts'
import type { JobContext } from '../../job/context.ts'
import { newJobOf } from '../../job/enqueue-options.ts'
import type { JobId } from '../../job/lease.ts'
import { encodePayload } from '../../job/payload.ts'
import { realRandom } from '../../random.ts'
import type { Desk } from './desk.ts'
import type { LiveRun } from './live-run.ts'

const childrenMax = 10_000

const clock = realClock()

/** The function of one run. */
export function makeEnqueue(run: LiveRun, desk: Desk): JobContext['enqueue'] {
  let bytes = 0
  return (kind, input, options = {}) => {
    if (run.over) throw tooLate(run)
    const conflict = options.unique?.conflict
    if (conflict === 'reject' || conflict === 'replace')
      throw optionInvalid(
        'unique.conflict',
        conflict,
        'another conflict: when it is decided, no handler is there that could be told',
      )
    if (run.children.length >= childrenMax)
      throw new ReeveError(
        'REEVE_PAYLOAD_TOO_LARGE',
        `A handler may enqueue ${childrenMax} jobs; enqueue the rest from one of them.`,
        subject(run),
      )
    const now = clock.wall()
    const id = realRandom.id(now) as JobId
    const payload = encodePayload(input, desk.payloadBytesMax)
    bytes += payload?.length ?? 0
    if (bytes > desk.payloadBytesMax) {
      const message = `The inputs of the jobs that a handler enqueues may have ${desk.payloadBytesMax} bytes together; store the data elsewhere and pass references to it.`
      throw new ReeveError('REEVE_PAYLOAD_TOO_LARGE', message, subject(run))
    }
    run.children.push(newJobOf({ id, kind, input: payload, now }, options))
    return id
  }
}

function tooLate(run: LiveRun): ReeveError {
  const { jobId, kind } = run.assignment
  const message = `Job ${jobId} (${kind}) is over: what its handler enqueues now would belong to no settle. Await it before you return.`
  return new ReeveError('REEVE_ATTEMPT_STOPPED', message, subject(run))
}

function subject({ assignment: { jobId, kind, attempt } }: LiveRun) {
  return { jobId, kind, attempt }
}
