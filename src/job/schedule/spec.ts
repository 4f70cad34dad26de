/** A schedule as plain data, and what each of its rules means. It is what stands in the database. */

/** What becomes of a tick while a job of the same schedule is not over. */
export type Overlap =
  /** The tick is skipped, on record. */
  | 'skip'
  /** It runs beside the other. */
  | 'allow'
  /** It waits until the other is over; one tick waits at most, later ones are skipped. Catch-ups all wait their turn. */
  | 'queue'
  /** The other is cancelled, and this one runs once it is gone. */
  | 'cancel-running'

/** What becomes of ticks that came due while nobody could fire them. */
export type CatchUp =
  /** None is run; all are skipped on record. */
  | 'skip'
  /** The latest of them is run, the others are on record as taken together with it. */
  | 'last'
  /** All are run, oldest first; past `max` only the latest. */
  | { readonly all: true; readonly max: number }

/** When a schedule fires, and how. Either `cron` or `everyMs` is given. Times are wall clock, in milliseconds. */
export interface ScheduleSpec {
  readonly cron: string | null
  /** IANA name; it matters to `cron` only. */
  readonly timeZone: string
  readonly everyMs: number | null
  /** No tick before it; ticks of `everyMs` are counted from it, else from the Unix epoch. */
  readonly startAt: number | null
  /** No tick after it. */
  readonly until: number | null
  /** A tick's job is due up to this much after the tick, by a fixed part for each tick. */
  readonly jitterMs: number
  readonly overlap: Overlap
  readonly catchUp: CatchUp
  readonly breaker: ScheduleBreaker | null
}

/** After `failures` failed ticks in a row 1, 2, 4… ticks are skipped, `skipMax` at most, with one let through in between. */
export interface ScheduleBreaker {
  readonly failures: number
  readonly skipMax: number
}

/** Why a tick was not run. */
export type SkipReason =
  /** A job of the schedule was not over. */
  | 'overlap'
  /** Another held a lock that the kind names as `exclusive`. */
  | 'exclusive'
  /** It came due while nobody could fire it. */
  | 'missed'
  /** As `missed`; a later one of them was run. */
  | 'coalesced'
  /** More were missed than `catchUp.max`. */
  | 'catch-up-limit'
  /** Too many ticks before it had failed. */
  | 'breaker'
  /** The kind's `shouldSkip` said so. */
  | 'should-skip'
