/** What the answer to a question is made with. Each type of question has its answerer in a file of this folder. */
import type { Clock } from '../../clock.ts'
import { ReeveError } from '../../errors.ts'
import type { ClaimedJob } from '../../persistence/commands/claim.ts'
import type { AskAnswer, AskRequest, AskType } from '../../threads/asks.ts'
import type { Committer } from '../committer.ts'
import type { LockLine } from '../lock-line.ts'

/** What questions are answered with. */
export interface AskServices {
  readonly committer: Pick<Committer, 'submit'>
  readonly clock: Clock
  readonly locks: Pick<LockLine, 'take' | 'release'>
}

/** Who asks. */
export interface AskingAttempt {
  readonly job: ClaimedJob
  /** Resolves when the attempt is decided on: whatever still waits for something (a lock) is to end then. */
  readonly decided: Promise<void>
}

/**
 * Answers the questions of one type; what it throws is the answer too. Its commands carry the lease of the attempt. The first
 * of them is submitted in the call itself, so that what was asked before the outcome is committed before the settle.
 */
export type Answerer<T extends AskType> = (
  request: AskRequest<T>,
  attempt: AskingAttempt,
  services: AskServices,
) => Promise<AskAnswer<T>>

/** Why a question changed nothing: the attempt is decided on, or its lease is another's by now. */
export function attemptOver({ id, kind, attempt }: ClaimedJob): ReeveError {
  return new ReeveError(
    'REEVE_ATTEMPT_STOPPED',
    `Attempt ${attempt} of job ${id} (${kind}) holds its job no longer: nothing was read or changed.`,
    { jobId: id, kind, attempt },
  )
}
