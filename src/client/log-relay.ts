/** Hands the supervisor's log lines to the app's own logger. */
import { type LogLevel, logLevelName, logLevels } from '../log-level.ts'

/** What a logger must have to be passed as `logger`: pino's methods and its level. */
export interface RuntimeLogger {
  /** Lines below this level are not made at all. */
  readonly level?: string
  trace(fields: object, message: string): void
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  fatal(fields: object, message: string): void
}

/** Whether a value has the methods of a {@link RuntimeLogger}. */
export function isLogger(value: unknown): value is RuntimeLogger {
  if (typeof value !== 'object' || value === null) return false
  return Object.keys(logLevels).every((level) => typeof (value as Record<string, unknown>)[level] === 'function')
}

/** The level at which the supervisor makes lines for this logger; `silent` without one. */
export function levelOf(logger: RuntimeLogger | undefined): LogLevel | 'silent' {
  if (logger === undefined || logger.level === 'silent') return 'silent'
  const { level = 'info' } = logger
  return Object.hasOwn(logLevels, level) ? (level as LogLevel) : 'info'
}

/** Writes lines of pino's JSON to the app's logger, each at its level, with its fields. */
export function relayLines(lines: readonly string[], logger: RuntimeLogger | undefined): void {
  if (logger === undefined) return
  for (const line of lines) {
    const { level, msg, ...fields } = JSON.parse(line) as { level: number; msg?: string }
    logger[logLevelName(level)](fields, msg ?? '')
  }
}
