/**
 * What the kind's own functions say of an error: whether to try again, and when. They stand in the jobs module, so they run here, on
 * the worker, and their answer goes with the outcome. An attempt that dies without a word of its handler has the backoff alone.
 */
import { durationMs } from '../../duration.ts'
import type { AnyJobDefinition } from '../../job/definition.ts'
import { isNonRetryable } from '../../job/non-retryable-error.ts'
import type { RetryWord } from '../protocol.ts'
import type { Desk } from './desk.ts'
import type { LiveRun } from './live-run.ts'
import { makeLog } from './log.ts'

/** What is to become of the job after this error; undefined leaves it to its attempts and its backoff. */
export async function retryWordOf(
  thrown: unknown,
  run: LiveRun,
  definition: AnyJobDefinition,
  desk: Desk,
): Promise<RetryWord | undefined> {
  const { attempt, attemptsMax, kind } = run.assignment
  // After a stop the throw is the stop's doing, and after the last attempt there is nothing to ask.
  if (run.stopReason !== null) return undefined
  if (isNonRetryable(thrown)) return 'never'
  const { shouldRetry, retryDelay } = definition.options.retry ?? {}
  if (attempt >= attemptsMax) return undefined
  const asked = async <T>(name: string, ask: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await ask()
    } catch (err) {
      makeLog(run, desk).error({ err }, `${name} of kind '${kind}' failed; the job is tried again as by its backoff`)
      return undefined
    }
  }
  if (shouldRetry !== undefined && (await asked('shouldRetry', () => shouldRetry(thrown))) === false) return 'never'
  if (retryDelay === undefined) return undefined
  const delayMs = await asked('retryDelay', async () => {
    const delay = await retryDelay(attempt, thrown)
    return delay == null ? undefined : durationMs(delay, `${kind}.retry.retryDelay(…)`)
  })
  return delayMs === undefined ? undefined : { delayMs }
}
