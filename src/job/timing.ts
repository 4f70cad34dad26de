/** What a handler times of its own run by `ctx.timing`. Types, and how much of it is kept. */

/** How many timings of an attempt are kept: its first ones. */
export const timingsMax = 100
/** The length that a label is cut to, in characters. */
export const timingLabelMax = 200

/** One stretch of a handler's run. */
export interface Timing {
  readonly label: string
  /** Milliseconds after the start of the handler. */
  readonly startMs: number
  /** Null where it was begun and never ended: where the handler was when it was stopped, or died. */
  readonly durationMs: number | null
}

/** What a worker tells of a stretch: that it has begun, or has ended. They are numbered from 0 in each run. */
export type TimingWord =
  | { readonly timing: number; readonly label: string; readonly startMs: number }
  | { readonly timing: number; readonly endMs: number }

/** A stretch that goes on until it is ended. `using` ends it with its block. */
export interface TimingSpan extends Disposable {
  /** Ends it. A second call does nothing; nor does one after the attempt is over. */
  end(): void
}

/** `ctx.timing`. */
export interface TimingCall {
  /**
   * Begins a stretch. It is told at once, from synchronous code too, so that one that is never ended says where a handler hung.
   * The first {@link timingsMax} of an attempt are kept.
   *
   * @example
   * ```ts
   * using _ = ctx.timing('download')
   * ```
   */
  (label: string): TimingSpan
  /** Times a function, until what it returns has settled or it throws, and returns what it returns. */
  <T>(label: string, work: () => T): T
}
