/** Why an enqueue was refused, in words. */
import { ReeveError } from '../errors.ts'
import type { EnqueueRefusal } from '../persistence/commands/enqueue.ts'

/** The error for the caller of the enqueue. Nothing of its call was stored. */
export function refusalError(refusal: EnqueueRefusal): ReeveError {
  switch (refusal.reason) {
    case 'duplicate':
      return new ReeveError(
        'REEVE_JOB_DUPLICATE',
        `A job of kind '${refusal.kind}' was not enqueued: job ${refusal.holder} holds its unique key ${refusal.key}. Wait for that one, or choose another conflict than to refuse.`,
        { jobId: refusal.holder, kind: refusal.kind },
      )
    case 'dependency-missing':
      return new ReeveError(
        'REEVE_JOB_NOT_FOUND',
        `A job of kind '${refusal.kind}' was not enqueued: no job has the id ${refusal.needed}, which it was to run after. It was never enqueued in this database, or was pruned.`,
        { jobId: refusal.needed, kind: refusal.kind },
      )
    case 'full':
      return new ReeveError(
        'REEVE_QUEUE_FULL',
        `${refusal.adds === 1 ? 'A job was' : `${refusal.adds} jobs were`} not enqueued: with them more than ${refusal.depthMax} jobs would wait in queue '${refusal.queue}', its maxDepth. Enqueue later, or with whenFull: 'wait'.`,
      )
  }
}

/** The error for a batch of which a slice is gone. */
export function partLost(): ReeveError {
  return new ReeveError(
    'REEVE_SUPERVISOR_DIED',
    'The supervisor thread died between two slices of the batch; none of it was stored.',
  )
}
