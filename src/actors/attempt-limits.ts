/** The limits of one attempt: the job's own options, else its kind's, else the runtime's. Pure. */
import type { KindSettings } from '../job/kind.ts'
import type { ClaimedJob } from '../persistence/commands/claim.ts'
import type { AttemptLimits } from './attempt.ts'

/** The defaults of a runtime, for what neither the job nor its kind says. */
export interface DispatchDefaults {
  readonly timeoutMs: number
  readonly timeoutGraceMs: number
  readonly stopGraceMs: number
  readonly killWaitMs: number
  readonly attemptsMax: number
  /** How long the `setup` of a kind may take. */
  readonly loadTimeoutMs: number
}

/** How long a thread may take to begin a handler that it was handed. */
const startMaxMs = 10_000

/** What holds for an attempt of this job. `inspects` is whether its stack can be read before it is ended. */
export function limitsOf(
  job: ClaimedJob,
  kind: KindSettings | undefined,
  defaults: DispatchDefaults,
  inspects: boolean,
): AttemptLimits {
  return {
    timeoutMs: job.timeoutMs ?? kind?.timeoutMs ?? defaults.timeoutMs,
    timeoutGraceMs: kind?.timeoutGraceMs ?? defaults.timeoutGraceMs,
    stopGraceMs: kind?.stopGraceMs ?? defaults.stopGraceMs,
    backoff: kind?.backoff,
    budget: kind?.budget ?? null,
    tickRetry: kind?.tickRetry,
    breaker: kind?.breaker === undefined ? undefined : { ...kind.breaker, kind: job.kind },
    killWaitMs: defaults.killWaitMs,
    startMaxMs: startMaxMs + (kind?.setups ?? 0) * defaults.loadTimeoutMs,
    inspects,
  }
}
