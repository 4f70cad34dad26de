/** The options that say what is kept for whoever looks in: log lines of jobs, and the stream of events. */
import type { Duration } from '../duration.ts'
import { optionInvalid } from '../errors.ts'
import type { JobLogLimits, JobLogOptions } from '../job/job-log.ts'
import { refuseUnknownOptions } from '../job/known-options.ts'
import { type LogLevel, logLevels } from '../log-level.ts'
import type { EventLogLimits } from '../persistence/event-log.ts'
import { atLeast, oneOf, wholeNumber } from './option-values.ts'

const jobLogLinesDefault = 200
const jobLogLinesMax = 10_000
const eventsDefault = 100_000
const eventsMax = 100_000_000

/** How much of the stream of events is kept: whichever is less. */
export interface EventLogOptions {
  /** How many events, up to 100 million; default 100,000. */
  readonly maxCount?: number
  /** For how long, at least 1 s; default 7 days, `Infinity` for any time. */
  readonly maxAge?: Duration
}

/**
 * Checks `jobLogs`; null keeps none.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`.
 */
export function jobLogsOf(jobLogs: unknown): JobLogLimits | null {
  if (jobLogs === false) return null
  if ((typeof jobLogs !== 'object' || jobLogs === null) && jobLogs !== undefined)
    throw optionInvalid('jobLogs', jobLogs, 'false, or an object with level or max')
  refuseUnknownOptions<JobLogOptions>(jobLogs ?? {}, { level: true, max: true }, 'jobLogs.')
  const { level, max } = (jobLogs ?? {}) as { readonly level?: unknown; readonly max?: unknown }
  return {
    level: logLevels[oneOf(level ?? 'info', 'jobLogs.level', Object.keys(logLevels) as LogLevel[])],
    max: wholeNumber(max ?? jobLogLinesDefault, 'jobLogs.max', 2, jobLogLinesMax),
  }
}

/**
 * Checks `eventLog`; null ends the stream, undefined leaves it as it is.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`.
 */
export function eventLogOf(eventLog: unknown): EventLogLimits | null | undefined {
  if (eventLog === undefined) return undefined
  if (eventLog === false) return null
  if (eventLog !== true && (typeof eventLog !== 'object' || eventLog === null))
    throw optionInvalid('eventLog', eventLog, 'true, false, or an object with maxCount or maxAge')
  const given = eventLog === true ? {} : eventLog
  refuseUnknownOptions<EventLogOptions>(given, { maxCount: true, maxAge: true }, 'eventLog.')
  const { maxCount, maxAge } = given as { readonly maxCount?: unknown; readonly maxAge?: unknown }
  const maxAgeMs = atLeast(maxAge ?? '7d', 'eventLog.maxAge', 1_000, true)
  return {
    maxCount: wholeNumber(maxCount ?? eventsDefault, 'eventLog.maxCount', 1, eventsMax),
    maxAgeMs: maxAgeMs === Number.POSITIVE_INFINITY ? null : Math.ceil(maxAgeMs),
  }
}
