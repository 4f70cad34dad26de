/** Answers `ctx.kv`: one operation, in one commit, under the lease. */
import { type Answerer, attemptOver } from './answerer.ts'

/** Reads or writes the key-value state of the job's kind. */
export const answerKeyValue: Answerer<'key-value'> = async ({ operation }, { job }, { committer, clock }) => {
  const by = { lease: { jobId: job.id, token: job.token } }
  const { outcome } = await committer.submit({ type: 'key-value', now: clock.wall(), by, operation })
  if (outcome.type === 'stale') throw attemptOver(job)
  return outcome
}
