/** The error that a wait for a result ends with. */
import { ReeveError } from '../errors.ts'
import type { JobEnd } from '../job/job-events.ts'
import { reviveError } from '../threads/revive-error.ts'

/** Why a job that did not complete has no result. */
export function errorOfEnd({ jobId, kind, attempt, state, error }: JobEnd): ReeveError {
  const subject = { jobId, kind, attempt }
  if (state === 'cancelled') return new ReeveError('REEVE_JOB_CANCELLED', `Job ${jobId} (${kind}) was cancelled.`, subject)
  const cause = error === null ? undefined : reviveError(error)
  const why = cause === undefined ? '' : `: ${cause.message}`
  return new ReeveError('REEVE_JOB_DISCARDED', `Job ${jobId} (${kind}) was discarded at attempt ${attempt}${why}`, {
    ...subject,
    cause,
  })
}
