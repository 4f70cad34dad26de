/** Child processes that could outlive this process, on record where whoever cleans up after it finds them. A seam. */

/**
 * A process, told apart from any later one with the same id. `startTime` is opaque text that changes with each boot
 * of the machine; null where the system does not tell it.
 */
export interface ChildProcessName {
  readonly pid: number
  readonly startTime: string | null
}

/** Keeps the record. */
export interface ChildRegister {
  /** A child process was started. No job is handed to it before this has resolved. */
  childStarted(child: ChildProcessName): void | Promise<void>
  /** It is gone, with the process group that it led. */
  childEnded(pid: number): void
}

/** Keeps no record: for a pool whose owner cleans up by other means. */
export const noRegister: ChildRegister = { childStarted: () => undefined, childEnded: () => undefined }
