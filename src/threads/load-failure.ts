/** Why a worker could not be used, in words, and how long the next one waits. */
import { ReeveError } from '../errors.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import { decodeError, encodeError } from './error-codec.ts'

/** After the first failed load the next thread is opened this much later, doubled with each further failure. */
const reloadDelayMinMs = 100
const reloadDelayMaxMs = 30_000

/** How long the next thread waits after so many failures in a row, from 1. */
export function reloadDelayMs(failedLoads: number): number {
  return Math.min(reloadDelayMinMs * 2 ** (failedLoads - 1), reloadDelayMaxMs)
}

/** The jobs module took too long. */
export function loadTimedOut(jobsUrl: string, loadTimeoutMs: number): ErrorRecord {
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
