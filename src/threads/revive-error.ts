/** Errors that came from the supervisor as data, made into errors again where people see them: in the app and in handlers. */

import { type ErrorCode, errorCodes, ReeveError } from '../errors.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import { decodeError } from './error-codec.ts'

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

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errorCodes, code)
}
