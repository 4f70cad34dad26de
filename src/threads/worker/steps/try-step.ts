/** Runs the function of a step: its tries, the waits between them, and the timeout of each. All of it ends when the run is to stop. */
import { realClock } from '../../../clock.ts'
import { durationMs } from '../../../duration.ts'
import { optionInvalid, ReeveError } from '../../../errors.ts'
import { isNonRetryable } from '../../../job/non-retryable-error.ts'
import { retrySettings } from '../../../job/retry-options.ts'
import { type Backoff, backoffDefault, retryDelayMs } from '../../../job/retry-policy.ts'
import type { StepContext, StepRunOptions } from '../../../job/steps.ts'
import { realRandom } from '../../../random.ts'
import type { LiveRun } from '../live-run.ts'

const clock = realClock()

/** The options of a step in milliseconds. */
export interface Tries {
  readonly attemptsMax: number
  readonly backoff: Backoff
  /** `Infinity` for none. */
  readonly timeoutMs: number
}

/**
 * Checks the options of a step.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`.
 */
export function triesOf(options: StepRunOptions): Tries {
  if (typeof options !== 'object' || options === null) throw optionInvalid('options', options, 'an object with retry, timeout')
  const { retry, timeout } = options
  const { attemptsMax = 1, backoff = backoffDefault } = retry === undefined ? {} : retrySettings(retry, 'retry')
  return { attemptsMax, backoff, timeoutMs: durationMs(timeout ?? Number.POSITIVE_INFINITY, 'timeout', { infinite: true }) }
}

/** Resolves with what the function returned, or rejects as its last try did, or as the run's own signal says. */
export async function trySteps<T>(
  run: LiveRun,
  name: string,
  fn: (step: StepContext) => T | Promise<T>,
  { attemptsMax, backoff, timeoutMs }: Tries,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryOnce(run, name, fn, attempt, timeoutMs)
    } catch (error) {
      if (attempt >= attemptsMax || run.stopReason !== null || run.asked !== null || isNonRetryable(error)) throw error
      await pause(run.signal, retryDelayMs(attempt, backoff, realRandom))
    }
  }
}

async function tryOnce<T>(
  run: LiveRun,
  name: string,
  fn: (step: StepContext) => T | Promise<T>,
  attempt: number,
  timeoutMs: number,
): Promise<T> {
  if (timeoutMs === Number.POSITIVE_INFINITY) return fn(stepContext(() => run.signal, attempt))
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timedOut = new AbortController()
  const timer = clock.after(timeoutMs, () => {
    const error = timeoutError(run, name, attempt, timeoutMs)
    timedOut.abort(error)
    reject(error)
  })
  let signal: AbortSignal | undefined
  const both = () => {
    signal ??= AbortSignal.any([run.signal, timedOut.signal])
    return signal
  }
  try {
    return await Promise.race([fn(stepContext(both, attempt)), late])
  } finally {
    timer.cancel()
  }
}

/** Most functions never read the signal. */
function stepContext(signal: () => AbortSignal, attempt: number): StepContext {
  return {
    attempt,
    get signal() {
      return signal()
    },
  }
}

function pause(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopped = () => {
      timer.cancel()
      reject(signal.reason)
    }
    const timer = clock.after(ms, () => {
      signal.removeEventListener('abort', stopped)
      resolve()
    })
    if (signal.aborted) stopped()
    else signal.addEventListener('abort', stopped, { once: true })
  })
}

function timeoutError(run: LiveRun, name: string, attempt: number, timeoutMs: number): ReeveError {
  const { jobId, kind } = run.assignment
  return new ReeveError(
    'REEVE_STEP_TIMED_OUT',
    `Try ${attempt} of step '${name}' of job ${jobId} (${kind}) ran past its timeout of ${timeoutMs} ms.`,
    { jobId, kind, attempt: run.assignment.attempt },
  )
}
