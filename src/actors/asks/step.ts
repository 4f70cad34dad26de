/** Answers `ctx.step`: what is remembered, and what is to be, in one commit, under the lease. */
import { type Answerer, attemptOver } from './answerer.ts'

/** Reads or writes the steps of the job. */
export const answerStep: Answerer<'step'> = async ({ operation }, { job }, { committer, clock }) => {
  const lease = { jobId: job.id, token: job.token }
  const { outcome } = await committer.submit({ type: 'step', now: clock.wall(), lease, operation })
  if (outcome.type === 'stale') throw attemptOver(job)
  return outcome
}
