/** The seam's part for log lines: how they are asked for. */
import type { JobId } from '../job/lease.ts'
import type { KeptLine } from './commands/log.ts'

/** Where a line stands among those of its job: they are in order of token, then number. */
export interface LogPlace {
  readonly token: number
  readonly line: number
}

/** A line as it is stored. */
export interface StoredLine extends KeptLine, LogPlace {
  readonly attempt: number
}

/** Which lines to read, oldest first. */
export interface LogQuery {
  readonly jobId: JobId
  /** Null for the first line that is kept. */
  readonly after: LogPlace | null
  readonly limit: number
}
