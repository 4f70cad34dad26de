/** Makes the job that a step invokes, as an enqueue of the app would. */
import { realClock } from '../../../clock.ts'
import { optionInvalid } from '../../../errors.ts'
import { newJobOf } from '../../../job/enqueue-options.ts'
import { type KnownOptions, refuseUnknownOptions } from '../../../job/known-options.ts'
import type { JobId } from '../../../job/lease.ts'
import { encodePayload } from '../../../job/payload.ts'
import type { InvokeOptions } from '../../../job/steps.ts'
import { realRandom } from '../../../random.ts'
import type { Desk } from '../desk.ts'
import type { ChildOf } from './make-steps.ts'

const clock = realClock()

const known: KnownOptions<InvokeOptions> = { priority: true, delay: true, runAt: true, queue: true, timeout: true, retry: true }

/** Children of the runs of a worker. A kind may be given as the definition that this worker has under some name. */
export function childOfDesk(desk: Desk): ChildOf {
  return (kind, input, options = {}) => {
    refuseUnknownOptions(options, known)
    const name = typeof kind === 'string' ? kind : Object.entries(desk.kinds).find(([, definition]) => definition === kind)?.[0]
    if (name === undefined) throw optionInvalid('kind', kind, 'the name of a kind, or a kind of this jobs module')
    const now = clock.wall()
    const job = { id: realRandom.id(now) as JobId, kind: name, input: encodePayload(input, desk.payloadBytesMax), now }
    return newJobOf(job, options)
  }
}
