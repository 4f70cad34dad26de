/** Asking the supervisor something on behalf of a run. */
import { ReeveError } from '../../errors.ts'
import type { AskAnswer, AskRequest, AskType } from '../asks.ts'
import { type Desk, post } from './desk.ts'
import type { LiveRun } from './live-run.ts'
import { Questions } from './questions.ts'

/**
 * Asks, and resolves with the answer.
 *
 * @throws ReeveError `REEVE_ATTEMPT_STOPPED` where the run is over, here or for the supervisor (a lost lease); else as the answer says.
 */
export async function ask<T extends AskType>(run: LiveRun, desk: Desk, request: AskRequest<T>): Promise<AskAnswer<T>> {
  const { run: number, jobId, kind, attempt } = run.assignment
  if (run.over)
    throw new ReeveError(
      'REEVE_ATTEMPT_STOPPED',
      `Attempt ${attempt} of job ${jobId} (${kind}) is over: it can ask nothing more. Await every call of ctx before the handler returns.`,
      { jobId, kind, attempt },
    )
  let questions = desk.questions.get(number)
  if (questions === undefined) {
    questions = new Questions((question, each) => post(desk, { type: 'ask', run: number, question, request: each }))
    desk.questions.set(number, questions)
  }
  return (await questions.ask(request)) as AskAnswer<T>
}
