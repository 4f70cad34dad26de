/**
 * Every error that Reeve raises or records, by code. A leaf: it imports nothing.
 * Codes are part of the public contract: a code is never renamed or given another meaning.
 */

/** What each code means, in one line. The keys are the codes; docs and tests read this table. */
export const errorCodes = {
  REEVE_OPTION_INVALID: 'An option has a value that is not accepted.',
  REEVE_NODE_UNSUPPORTED: 'This Node.js is older than the oldest that Reeve supports.',
  REEVE_SQLITE_TOO_OLD: 'The SQLite inside better-sqlite3 is older than the floor.',
  REEVE_SQLITE_MISSING: 'The peer dependency better-sqlite3 could not be loaded.',
  REEVE_DATABASE_NOT_SQLITE: 'The database file is no SQLite database, or is damaged.',
  REEVE_DATABASE_UNWRITABLE: 'The database file or its folder cannot be opened for writing.',
  REEVE_DATABASE_FULL: 'The disk (or the size limit of the database) is full.',
  REEVE_DATABASE_BUSY: 'Another connection held the write lock for too long.',
  REEVE_DATABASE_IO: 'The operating system reported an error on the database file.',
  REEVE_DATABASE_DISPLACED: 'The database file was deleted, moved or replaced while it was in use.',
  REEVE_SCHEMA_NEWER: 'The database was written by a newer Reeve.',
  REEVE_SCHEMA_FOREIGN: 'The database has tables with our prefix that Reeve did not make.',
  REEVE_COMMIT_UNKNOWN: 'A commit failed in a way that does not tell whether it took effect.',
  REEVE_PAYLOAD_UNCLONEABLE: 'An input cannot be cloned, so it cannot be stored.',
  REEVE_PAYLOAD_TOO_LARGE: 'An input or result is larger than the cap.',
  REEVE_PAYLOAD_UNREADABLE: 'A stored input or result cannot be decoded.',
  REEVE_INPUT_INVALID: 'An input does not match the schema of its kind.',
  REEVE_RESULT_UNCLONEABLE: 'A handler returned a value that cannot be cloned.',
  REEVE_KIND_UNKNOWN: 'The jobs module has no such kind.',
  REEVE_JOBS_UNLOADABLE: 'The jobs module, or a job file, failed to load, or did not load in time.',
  REEVE_JOBS_INVALID: 'The jobs module, or a job file, does not export what it should.',
  REEVE_SETUP_FAILED: 'The setup or teardown of a kind failed, or took too long.',
  REEVE_ENV_INVALID: 'The environment variables do not match the schema of a kind.',
  REEVE_MIGRATION_FAILED: 'A migration of the own database of a kind failed, or others have run there.',
  REEVE_TRANSACTION_OPEN: 'A handler ended with a transaction open on its own database.',
  REEVE_ATTEMPT_TIMED_OUT: 'A handler ran past its timeout and its thread was terminated.',
  REEVE_ATTEMPT_STOPPED: 'A handler was asked to stop (cancel, drain, timeout or a lost lease).',
  REEVE_ATTEMPT_LOST: 'The process that ran the attempt died before it settled.',
  REEVE_JOB_CRASHED: 'The process died too often while it held nothing but this job.',
  REEVE_SUPERVISOR_OVERDUE: 'The leases of another supervisor have run out though it is alive.',
  REEVE_THREAD_EXITED: 'The thread or child process ended while it ran a handler.',
  REEVE_THREADS_CONDEMNED: 'More threads than may be replaced were told to terminate and are still alive.',
  REEVE_THREAD_OUT_OF_MEMORY: 'A handler used more memory than its thread or child process may have.',
  REEVE_HANDLER_UNCAUGHT: 'A handler threw in a callback that nobody awaited.',
  REEVE_STEP_DUPLICATE: 'One run of a handler used a step name twice.',
  REEVE_STEP_CHANGED: 'A step is of another type than in an earlier run of its handler.',
  REEVE_STEP_TIMED_OUT: 'The function of a step ran past its timeout.',
  REEVE_STEPS_TOO_MANY: 'A job has more steps than it may have.',
  REEVE_STEP_INVOKE_FAILED: 'A job that a step invoked did not complete.',
  REEVE_SIGNAL_REFUSED: 'A signal cannot reach its job.',
  REEVE_LOCK_BUSY: 'Another holds a lock, and the wait for it was over.',
  REEVE_LOCK_LOST: 'A lock was lost while it was held: its time was over, or its holder is gone.',
  REEVE_LOCK_HELD_HERE: 'Who asks for a lock holds it already, and would wait for itself.',
  REEVE_LIMIT_UNENFORCED: 'The store cannot keep a limit over all processes.',
  REEVE_JOB_DISCARDED: 'A job is a dead letter: it will not be tried again by itself.',
  REEVE_JOB_CANCELLED: 'A job was cancelled.',
  REEVE_JOB_STATE: 'A job is in a state in which that cannot be done to it.',
  REEVE_DISCARD_REQUESTED: 'A handler, or a call, discarded the job.',
  REEVE_JOB_NOT_FOUND: 'No job has this id: it was pruned, or never enqueued here.',
  REEVE_JOB_NOT_ENQUEUED: 'An enqueue was not committed.',
  REEVE_JOB_DUPLICATE: 'Another job holds the unique key.',
  REEVE_DEPENDENCY_FAILED: 'A job that this one was to run after did not complete.',
  REEVE_QUEUE_FULL: 'A queue has as many waiting jobs as it may have.',
  REEVE_SCHEDULE_NOT_FOUND: 'There is no schedule of this name.',
  REEVE_SCHEDULE_DECLARED: 'A schedule that code declares cannot be changed by a call.',
  REEVE_RESULT_TIMEOUT: 'A wait for a result ran out; the job itself goes on.',
  REEVE_WAIT_ABORTED: 'A wait for a result was aborted by its signal; the job itself goes on.',
  REEVE_EVENTS_OFF: 'The database keeps no stream of events.',
  REEVE_EVENTS_PRUNED: 'Events behind a cursor are gone.',
  REEVE_SUPERVISOR_DIED: 'The supervisor thread died while a call was pending.',
  REEVE_SUPERVISOR_FAILED: 'The supervisor thread could not be kept alive.',
  REEVE_RUNTIME_CLOSED: 'The runtime is closed or closing.',
} as const satisfies Record<string, string>

/** One of the stable codes of {@link errorCodes}. */
export type ErrorCode = keyof typeof errorCodes

/** Which job an error is about; every field is optional because some errors are about none. */
export interface ErrorSubject {
  readonly jobId?: string | undefined
  readonly kind?: string | undefined
  readonly attempt?: number | undefined
  readonly cause?: unknown
}

/**
 * The one error class of Reeve. Tell errors apart by `code`, never by message.
 *
 * @example
 * ```ts
 * try {
 *   await handle.result()
 * } catch (error) {
 *   if (error instanceof ReeveError && error.code === 'REEVE_JOB_CANCELLED') return
 *   throw error
 * }
 * ```
 */
export class ReeveError extends Error {
  override readonly name: string = 'ReeveError'
  readonly code: ErrorCode
  readonly jobId: string | undefined
  readonly kind: string | undefined
  readonly attempt: number | undefined

  constructor(code: ErrorCode, message: string, subject: ErrorSubject = {}) {
    super(message, subject.cause === undefined ? undefined : { cause: subject.cause })
    this.code = code
    this.jobId = subject.jobId
    this.kind = subject.kind
    this.attempt = subject.attempt
  }
}

/**
 * Builds the error for an option that is not accepted: it names the option, the value and what is accepted.
 *
 * @example
 * ```ts
 * throw optionInvalid('threads', -1, 'a whole number from 0 to 512')
 * ```
 */
export function optionInvalid(option: string, value: unknown, accepted: string): ReeveError {
  return new ReeveError('REEVE_OPTION_INVALID', `Option '${option}' is ${show(value)}; accepted: ${accepted}.`)
}

function show(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}
