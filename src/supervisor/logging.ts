/**
 * The supervisor thread's pino. Its lines travel to the client as messages, in one a turn, because what a thread
 * writes to a stream is lost when the thread is terminated.
 */
import { type DestinationStream, pino } from 'pino'
import type { ServiceLogger } from '../actors/service-logger.ts'
import type { Clock } from '../clock.ts'
import type { JobLogLimits } from '../job/job-log.ts'
import { type LogLevel, logLevels } from '../log-level.ts'

/** Builds a logger that hands finished lines to `send`. At `silent` it costs a function call a line. */
export function openLogger(level: LogLevel | 'silent', clock: Clock, send: (lines: readonly string[]) => void): ServiceLogger {
  let waiting: string[] = []
  const destination: DestinationStream = {
    write(line) {
      waiting.push(line)
      if (waiting.length > 1) return
      clock.nextTurn(() => {
        const lines = waiting
        waiting = []
        send(lines)
      })
    },
  }
  return pino({ level, base: { name: 'reeve' }, serializers: { error: (error) => error } }, destination)
}

/** Handlers' own lines below this number are not sent: `info` at least, because a killed attempt keeps its last lines. */
export function workerLogLevel(level: LogLevel | 'silent', jobLogs: JobLogLimits | null): number {
  const ofLogger = level === 'silent' ? logLevels.info : logLevels[level]
  return Math.min(ofLogger, jobLogs?.level ?? logLevels.info, logLevels.info)
}
