/** Errors that came from the supervisor as data, made into errors again at the public edge. */

import { type ErrorCode, errorCodes, ReeveError } from '../errors.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import type { JobEnd } from '../job/job-events.ts'
import { decodeError } from '../threads/error-codec.ts'

/** An error of Reeve comes back as a {@link ReeveError} with its code; any other as what it was. */
export function reviveError(record: ErrorRecord): Error {
  const error = decodeError(record)
  if (record.name !== 'ReeveError' || !isErrorCode(record.code)) return error
  const { jobId, kind, attempt } = record.fields ?? {}
  const revived = new ReeveError(record.code, record.message, {
    cause: error.cause,
    ...(typeof jobId === 'string' && { jobId }),
    ...(typeof kind === 'string' && { kind }),
    ...(typeof attempt === 'number' && { attempt }),
  })
  if (record.stack !== undefined) revived.stack = record.stack
  return record.logTail === undefined ? revived : Object.assign(revived, { logTail: record.logTail })
}

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

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errorCodes, code)
}
