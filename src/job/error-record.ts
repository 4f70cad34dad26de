/** The form in which an error is stored and crosses threads: plain JSON, whatever was thrown. */

/** An error as data. What was thrown need not have been an Error; then `name` says what it was. */
export interface ErrorRecord {
  /** The constructor's name of an Error (`'TypeError'`), or for other values the type: `'string'`, `'null'`, `'object'`. */
  readonly name: string
  readonly message: string
  readonly stack?: string
  /** A `code` of the error, as Node's errors and ours carry (`'ENOENT'`, `'REEVE_ATTEMPT_TIMED_OUT'`). */
  readonly code?: string
  /** The cause, at most a few levels deep. */
  readonly cause?: ErrorRecord
  /** Other own fields, as far as they are plain data; the rest is described in words. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** The last log lines of an attempt that was killed, oldest first. */
  readonly logTail?: readonly string[]
}
