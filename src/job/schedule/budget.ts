/** How long a handler should go on taking up work. Pure. */
import { type Duration, durationMs } from '../../duration.ts'
import { optionInvalid } from '../../errors.ts'
import type { JobTick } from './job-tick.ts'

/** Until the next tick, and (unless `ms` is null) for no longer than that. */
export interface Budget {
  readonly ms: number | null
}

/**
 * Checks the option.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function budgetOf(budget: Duration | 'next-tick', option: string): Budget {
  if (budget === 'next-tick') return { ms: null }
  const ms = durationMs(budget, option)
  if (ms > 0) return { ms }
  throw optionInvalid(option, budget, "a duration above 0, or 'next-tick'")
}

/**
 * When the budget of a run that starts at `startedAt` is used up, both wall clock; null where there is no end to it. A run that
 * starts after its next tick, as a catch-up does, has as long as a tick lasts.
 */
export function deadlineOf(budget: Budget | null, tick: JobTick | null, startedAt: number): number | null {
  if (budget === null) return null
  const ends = [budget.ms === null ? null : startedAt + budget.ms, tickEnd(tick, startedAt)].filter((end) => end !== null)
  return ends.length === 0 ? null : Math.min(...ends)
}

function tickEnd(tick: JobTick | null, startedAt: number): number | null {
  if (tick === null || tick.nextAt === null) return null
  if (tick.nextAt > startedAt) return tick.nextAt
  return tick.scheduledAt === null ? null : startedAt + tick.nextAt - tick.scheduledAt
}
