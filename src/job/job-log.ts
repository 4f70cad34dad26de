/** The kept log lines of jobs. Types only. */
import type { LogLevel } from '../log-level.ts'

/** Which lines of `ctx.log` are kept, and how many. */
export interface JobLogOptions {
  /** The least level that is kept; default `'info'`. */
  readonly level?: LogLevel
  /** How many lines of a job are kept, the latest ones of all its attempts together: 2 to 10,000; default 200. */
  readonly max?: number
}

/** The same, checked and with its defaults. */
export interface JobLogLimits {
  /** pino's number. */
  readonly level: number
  readonly max: number
}

/** One line that a handler wrote by `ctx.log`. */
export interface JobLogLine {
  /** The attempt that wrote it. */
  readonly attempt: number
  /** Its number among the lines of its attempt, from 1. Where one is missing, lines were dropped: a `warn` line says how many. */
  readonly line: number
  /** Wall clock, milliseconds since the Unix epoch. */
  readonly at: number
  readonly level: LogLevel
  readonly message: string
  /** What was logged beside the message, as plain data. */
  readonly fields: Readonly<Record<string, unknown>> | null
}
