/** What the supervisor knows of a kind: plain data that each worker reports once it has loaded the jobs module. */

import type { BreakerSettings } from './breaker.ts'
import type { KindLimits } from './limits.ts'
import type { Isolation, KindMemory } from './memory.ts'
import type { Backoff } from './retry-policy.ts'
import type { Budget } from './schedule/budget.ts'
import type { NewSchedule } from './schedule/options.ts'
import type { TickRetry } from './schedule/tick-retry.ts'

/** The options of one kind, in milliseconds, with absent ones left out (the runtime's defaults then hold). */
export interface KindSettings {
  /** How long the handler may run before its thread is terminated; `Infinity` for no bound. */
  readonly timeoutMs?: number
  /** How long after the timeout's signal the thread is terminated; 0 unless the kind asks for more. */
  readonly timeoutGraceMs?: number
  /** How long after the signal of a cancel or a drain the thread is terminated. */
  readonly stopGraceMs?: number
  readonly attemptsMax?: number
  readonly backoff?: Backoff
  readonly schedules?: readonly NewSchedule[]
  readonly budget?: Budget
  readonly breaker?: BreakerSettings
  readonly tickRetry?: TickRetry
  readonly limits?: KindLimits
  /** A kind with `'process'` has child processes of its own. */
  readonly isolation?: Isolation
  /** What is made on a worker before its first run there; for each the run may begin as much later as a jobs module may take to load. */
  readonly setups?: number
  /** A kind with any limit has threads of its own. */
  readonly memory?: KindMemory
}

/** All kinds of a jobs module by name. */
export type KindCatalog = Readonly<Record<string, KindSettings>>

/** Why a running handler is asked to stop. */
export type StopReason = 'timeout' | 'cancel' | 'drain' | 'lease-lost'
