/** What is recorded on a job whose process died, in words. Pure. */
import type { ErrorRecord } from '../../job/error-record.ts'
import type { Crash } from '../job-row.ts'

/** The error of one attempt that a death ended. */
export function lostError(attempt: number): ErrorRecord {
  return {
    name: 'ReeveError',
    code: 'REEVE_ATTEMPT_LOST',
    message: `The process that ran attempt ${attempt} died before it settled.`,
  }
}

/** The error of a job that is a dead letter because its process died too often: it tells of each death, as far as they were kept. */
export function crashError(story: {
  readonly log: readonly Crash[]
  readonly crashes: number
  readonly crashesAlone: number
}): ErrorRecord {
  const { log, crashes, crashesAlone } = story
  const deaths = log.map(({ at, owner, alone }) => {
    const beside = alone ? 'while it ran alone' : 'while others ran beside it'
    return `at ${new Date(at).toISOString()} (supervisor ${owner}), ${beside}`
  })
  const unkept = crashes - log.length
  const told = unkept > 0 ? [`${unkept} earlier`, ...deaths] : deaths
  return {
    name: 'ReeveError',
    code: 'REEVE_JOB_CRASHED',
    message: `The process died ${crashes} times while it held this job, ${crashesAlone} of them while it held nothing else: ${told.join('; ')}. It is not tried again; look for native code, memory, or process.exit and process.kill in its handler.`,
  }
}
