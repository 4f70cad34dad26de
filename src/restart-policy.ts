/** When something that died may be started again, as in OTP: so many times within so long. Pure; a leaf. */

/** At most `intensity` restarts within `periodMs`; one more is given up on. */
export interface RestartPolicy {
  readonly intensity: number
  readonly periodMs: number
}

/** The policy of supervised parts and of the supervisor thread itself. */
export const restartPolicyDefault: RestartPolicy = { intensity: 5, periodMs: 30_000 }

/** What to do after a death, with the history to pass in at the next one. */
export interface RestartDecision {
  readonly restart: boolean
  /** Monotonic times of the restarts within the period, oldest first. */
  readonly history: readonly number[]
}

/**
 * Decides on one death at `nowMono`.
 *
 * @example
 * ```ts
 * decideRestart([], 0, { intensity: 1, periodMs: 1000 }).restart // true
 * decideRestart([0], 10, { intensity: 1, periodMs: 1000 }).restart // false
 * ```
 */
export function decideRestart(
  history: readonly number[],
  nowMono: number,
  { intensity, periodMs }: RestartPolicy,
): RestartDecision {
  const recent = history.filter((at) => nowMono - at < periodMs)
  return recent.length < intensity ? { restart: true, history: [...recent, nowMono] } : { restart: false, history: recent }
}
