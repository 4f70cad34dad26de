/** The part of a pino logger that services use. They never name pino, so a test passes whatever it likes. */

/** The levels of a log, least urgent first; the words and numbers are pino's. */
export const logLevels = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 } as const

/** The name of a level. */
export type LogLevel = keyof typeof logLevels

/** Writes structured records: what it is about first, then the sentence. */
export type ServiceLogger = Readonly<Record<LogLevel, (fields: object, message: string) => void>>

/** The name of the level with this number, or of the next one below it. */
export function logLevelName(level: number): LogLevel {
  const names = Object.keys(logLevels) as LogLevel[]
  return names.findLast((name) => logLevels[name] <= level) ?? 'trace'
}
