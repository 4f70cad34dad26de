/** What a dispatcher tells of its attempts, after the COMMIT that made the news true. */
import type { Settlement } from '../job/outcome.ts'
import type { ClaimedJob } from '../persistence/commands/claim.ts'
import type { SettleAnswer } from '../persistence/commands/settle.ts'
import type { LogRecord } from '../threads/protocol.ts'
import type { Attempt } from './attempt.ts'

/** Who wants to hear of attempts. */
export interface DispatchListener {
  started(attempt: Attempt): void
  progress(attempt: Attempt, fraction: number | null, note: string | null): void
  log(attempt: Attempt, record: LogRecord): void
  condemned(attempt: Attempt): void
  settled(attempt: Attempt, answer: SettleAnswer, settlement: Settlement | null): void
  /** A job that never started was given back (or, if its cancel was requested, is cancelled by now). */
  handedBack(job: ClaimedJob, answer: SettleAnswer): void
}
