/** Makes a worker load the jobs module; why it could not, in words; and how long the next one waits. */
import { ReeveError } from '../errors.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import type { ChildRegister } from './child-register.ts'
import { decodeError, encodeError } from './error-codec.ts'
import { startTimeOf } from './process-group.ts'
import type { HelloReply, HelloSettings } from './protocol.ts'
import type { Thread } from './thread.ts'
import type { TimerSet } from './timer-set.ts'

/** After the first failed load the next thread is opened this much later, doubled with each further failure. */
const reloadDelayMinMs = 100
const reloadDelayMaxMs = 30_000

/** How long the next thread waits after so many failures in a row, from 1. */
export function reloadDelayMs(failedLoads: number): number {
  return Math.min(reloadDelayMinMs * 2 ** (failedLoads - 1), reloadDelayMaxMs)
}

/** What loading needs. */
export interface LoadOptions extends HelloSettings {
  readonly loadTimeoutMs: number
  readonly timers: TimerSet
  readonly register: ChildRegister
}

/** Resolves with the worker's reply, or with null where it died on the way (which its end tells of). Never rejects. */
export async function loadJobsOn(thread: Thread, options: LoadOptions): Promise<HelloReply | null> {
  const { loadTimeoutMs, timers, register, ...settings } = options
  const late = Promise.withResolvers<HelloReply>()
  const timer = timers.after(loadTimeoutMs, () => {
    late.resolve({ ok: false, error: loadTimedOut(settings.jobsUrl, loadTimeoutMs) })
  })
  try {
    const { pid } = thread.carrier
    // On record before it can have a job, so that whoever takes the job over after us finds it.
    if (pid !== null) await register.childStarted({ pid, startTime: startTimeOf(pid) })
    const reply = await Promise.race([thread.hello(settings), late.promise])
    return thread.dying ? null : reply
  } catch (error) {
    return thread.dying ? null : { ok: false, error: encodeError(error) }
  } finally {
    timer.cancel()
  }
}

/** The jobs module took too long. */
function loadTimedOut(jobsUrl: string, loadTimeoutMs: number): ErrorRecord {
  const message = `The jobs module ${jobsUrl} did not load within ${loadTimeoutMs} ms: look for an endless loop at its top level or a top-level await that never settles.`
  return encodeError(new ReeveError('REEVE_JOBS_UNLOADABLE', message))
}

/** A thread died with the jobs module, before it had a job. */
export function diedUnused(jobsUrl: string, cause: ErrorRecord): ErrorRecord {
  const message = `A thread died while it loaded ${jobsUrl}, or soon after: ${cause.message}`
  return encodeError(new ReeveError('REEVE_JOBS_UNLOADABLE', message, { cause: decodeError(cause) }))
}

/** A thread died before it could take any task: a preload that throws, too little memory. */
export function neverUp(cause: ErrorRecord): ErrorRecord {
  return { ...cause, message: `A worker ended while it started: ${cause.message}` }
}
