/** Logs for people, on stderr. */
import type { RuntimeLogger } from '../index.ts'
import { type LogLevel, logLevels } from '../log-level.ts'

/** What every line of the runtime has, and nobody at a prompt wants to read. */
const plumbing = ['time', 'name', 'at', 'jobId', 'kind', 'queue', 'attempt', 'token', 'err', 'error']

/** Shows what handlers log, and of the runtime's own lines only warnings and worse, unless `verbose`. */
export function stderrLogger(verbose: boolean): RuntimeLogger {
  const write = (level: LogLevel) => (fields: object, message: string) => {
    // Only a line of a handler says when it was written.
    const isHandlers = 'jobId' in fields && 'at' in fields
    if (!isHandlers && !verbose && logLevels[level] < logLevels.warn) return
    const own = Object.entries(fields).filter(([name]) => !plumbing.includes(name))
    const shown = (isHandlers || verbose) && own.length > 0 ? ` ${JSON.stringify(Object.fromEntries(own))}` : ''
    console.error(`${level} ${message}${shown}${reasonOf(fields)}`)
  }
  return {
    level: verbose ? 'debug' : 'info',
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
  }
}

/** An error by its message; the end of the job tells of it in full. */
function reasonOf(fields: { readonly err?: unknown; readonly error?: unknown }): string {
  const error = fields.err ?? fields.error
  return typeof error === 'object' && error !== null && 'message' in error ? `: ${String(error.message)}` : ''
}
