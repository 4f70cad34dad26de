/** What a runtime has done since its start. Types only. */

/** How a set of times is spread, in milliseconds, each to within one percent; all 0 where there is none. */
export interface TimeSpread {
  /** How many times were measured. */
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** How attempts ended here, of one kind or of all. */
export interface AttemptStats {
  readonly completed: number
  /** Attempts that failed, the last ones of their jobs too. */
  readonly failed: number
  /** Those of them after which the job is tried again. */
  readonly retried: number
  /** Jobs that became dead letters. */
  readonly discarded: number
  readonly cancelled: number
  readonly snoozed: number
  /** Runs of a handler that ended in a wait. */
  readonly suspended: number
  /** Put back uncharged: a drain, or a neighbour's fault. */
  readonly interrupted: number
  /** From the hand-over to a thread to the commit of the end; of attempts that came to an end of their own. */
  readonly runTime: TimeSpread
  /** From the moment at which a job was due to its hand-over to a thread. */
  readonly waitTime: TimeSpread
}

/** What a runtime has done. Other processes on the same file count for themselves. */
export interface RuntimeStats {
  /** When the counting began: the start of the supervisor thread, the last one where it was restarted. */
  readonly since: number
  /** How often the supervisor thread was restarted after a death. */
  readonly restarts: number
  /** How many threads were condemned. */
  readonly condemned: number
  /** Completed jobs a second, over the last minute. */
  readonly completedPerSecond: number
  readonly total: AttemptStats
  readonly kinds: Readonly<Record<string, AttemptStats>>
}
