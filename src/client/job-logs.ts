/** The log lines of a job as `runtime.logs` shows them, page by page. */
import type { JobLogLine } from '../job/job-log.ts'
import type { JobId } from '../job/lease.ts'
import { logLevelName } from '../log-level.ts'
import type { LogQuery, StoredLine } from '../persistence/job-log.ts'
import { decodeCursor, encodeCursor, pageLimit } from './cursor.ts'

const limitDefault = 200
const limitMax = 1_000

/** Which lines to read. */
export interface LogsOptions {
  /** The cursor of an earlier page: only what came after it. Default: from the first line that is kept. */
  readonly after?: string
  /** How many lines at most, up to 1,000; default 200. */
  readonly limit?: number
}

/** Some lines of a job, oldest first. */
export interface LogsPage {
  readonly lines: readonly JobLogLine[]
  /** Where to go on, also once there are new lines; null where there has been none yet. */
  readonly cursor: string | null
}

/**
 * Checks the options.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`.
 */
export function logQuery(id: string, { after, limit }: LogsOptions): LogQuery {
  const [token = 0, line = 0] = after === undefined ? [] : decodeCursor('log', after, 2, 'after')
  return {
    jobId: id as JobId,
    after: after === undefined ? null : { token, line },
    limit: pageLimit(limit, limitDefault, limitMax),
  }
}

/** Makes the page of what was found. */
export function logsPage(found: readonly StoredLine[], { after }: LogsOptions): LogsPage {
  const last = found.at(-1)
  return {
    lines: found.map(({ attempt, line, at, level, message, fields }) => ({
      attempt,
      line,
      at,
      level: logLevelName(level),
      message,
      fields: fields === null ? null : (JSON.parse(fields) as Record<string, unknown>),
    })),
    cursor: last === undefined ? (after ?? null) : encodeCursor('log', [last.token, last.line]),
  }
}
