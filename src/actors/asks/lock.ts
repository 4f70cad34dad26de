/** Answers `ctx.lock`: the attempt stands in line until the lock is its own, its wait is over, or it is decided on itself. */
import type { Answerer } from './answerer.ts'

/** Takes a lock for the attempt. */
export const answerLock: Answerer<'lock'> = ({ wish, taking }, { job, decided }, { locks }) => {
  const lease = { jobId: job.id, token: job.token }
  return locks.take({ ...wish, taking, lease }, decided)
}

/** Frees one taking. */
export const answerUnlock: Answerer<'unlock'> = async ({ name, taking }, _attempt, { locks }) => {
  await locks.release(name, taking)
  return null
}
