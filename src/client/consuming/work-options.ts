/** The options of `runtime.queue(name).work`, checked. */
import { type Duration, durationMs } from '../../duration.ts'
import { optionInvalid } from '../../errors.ts'
import { type KnownOptions, refuseUnknownOptions } from '../../job/known-options.ts'
import type { ResourceOptions } from '../../job/worker-resource.ts'
import { wholeNumber } from '../option-values.ts'
import type { Work } from './consumers.ts'

const concurrencyMax = 1_000

/** How an inline consumer works, and when it ends. */
export interface WorkOptions<Resource = undefined> {
  /** How many jobs run at once, 1 to 1,000; default 1. */
  readonly concurrency?: number
  /** How many jobs of one group it runs at once; default any number. 1 visits a site with one tab at a time. */
  readonly perGroup?: number
  /** How many jobs it runs in all; default any number. */
  readonly max?: number
  /**
   * When it ends by itself: `'empty'`, once nothing of the queue is due and nothing of it runs; at a `Date`; after a duration; or
   * `'forever'` (default), not before its signal or the runtime ends it.
   */
  readonly until?: 'empty' | 'forever' | Date | Duration
  /** Ends it: nothing more is taken, and handlers are asked to stop. `work` resolves when they have returned. */
  readonly signal?: AbortSignal
  /** What is made before the first job and given to each handler as `ctx.resource`, and what unmakes it at the end. */
  readonly worker?: ResourceOptions<Resource>
}

const knownOptions: KnownOptions<WorkOptions> = {
  ...{ concurrency: true, perGroup: true, max: true, until: true, signal: true, worker: true },
}

/**
 * Checks the options. `now` is wall clock.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`.
 */
export function workOf<Resource>(queue: string, options: WorkOptions<Resource>, now: number): Work {
  refuseUnknownOptions(options, knownOptions, 'work.')
  const { concurrency = 1, perGroup, max = Number.POSITIVE_INFINITY, until = 'forever', signal, worker } = options
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw optionInvalid('work.signal', signal, 'an AbortSignal')
  if (worker !== undefined && (typeof worker !== 'object' || worker === null || typeof worker.setup !== 'function'))
    throw optionInvalid('work.worker', worker, 'an object with a setup function, and maybe a teardown')
  return {
    queue,
    slots: wholeNumber(concurrency, 'work.concurrency', 1, concurrencyMax),
    groupMax: perGroup === undefined ? null : wholeNumber(perGroup, 'work.perGroup', 1, concurrencyMax),
    runsMax: max === Number.POSITIVE_INFINITY ? max : wholeNumber(max, 'work.max', 1, Number.MAX_SAFE_INTEGER),
    endsWhenEmpty: until === 'empty',
    endsAt: endOf(until, now),
  }
}

function endOf(until: NonNullable<WorkOptions['until']>, now: number): number {
  if (until === 'empty' || until === 'forever') return Number.POSITIVE_INFINITY
  if (!(until instanceof Date)) return now + durationMs(until, 'work.until', { infinite: true })
  if (Number.isNaN(until.getTime())) throw optionInvalid('work.until', until, "'empty', 'forever', a valid Date or a duration")
  return until.getTime()
}
