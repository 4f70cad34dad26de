/** The levels of a log. A leaf: the words and numbers are pino's, but nothing here needs pino. */

/** Least urgent first. */
export const logLevels = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 } as const

/** The name of a level. */
export type LogLevel = keyof typeof logLevels

/**
 * The name of the level with this number, or of the next one below it.
 *
 * @example
 * ```ts
 * logLevelName(35) // 'info'
 * ```
 */
export function logLevelName(level: number): LogLevel {
  const names = Object.keys(logLevels) as LogLevel[]
  return names.findLast((name) => logLevels[name] <= level) ?? 'trace'
}
