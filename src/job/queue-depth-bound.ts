/** How many jobs of a queue may wait, and what an enqueue does that would make it more. Pure. */
import { type Duration, durationMs } from '../duration.ts'
import { optionInvalid } from '../errors.ts'
import { type KnownOptions, refuseUnknownOptions } from './known-options.ts'

const depthLimit = 100_000_000

/** The bound of one queue, as part of its limits. */
export interface DepthOptions {
  /** How many of its jobs may be `ready` (those for later too); an enqueue over it is refused or waits. Default: any number. */
  readonly maxDepth?: number
  /** What an enqueue over `maxDepth` does: `'reject'` with `REEVE_QUEUE_FULL` (default), or `'wait'` until there is room. */
  readonly whenFull?: 'reject' | 'wait'
}

/** The checked form. */
export interface DepthBound {
  readonly max: number
  readonly whenFull: 'reject' | 'wait'
}

/** How long an enqueue waits for room, where its queue is one that lets it wait. */
export interface RoomWait {
  /** Default: as long as it takes. */
  readonly timeout?: Duration
  /** Ends the wait. */
  readonly signal?: AbortSignal
}

const knownWait: KnownOptions<RoomWait> = { timeout: true, signal: true }

/**
 * Checks the bound of a queue; undefined where it has none. `option` is what it belongs to in the error.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`.
 */
export function depthBound({ maxDepth, whenFull = 'reject' }: DepthOptions, option: string): DepthBound | undefined {
  if (whenFull !== 'reject' && whenFull !== 'wait') throw optionInvalid(`${option}.whenFull`, whenFull, "'reject' or 'wait'")
  if (maxDepth === undefined) return undefined
  if (Number.isInteger(maxDepth) && maxDepth >= 1 && maxDepth <= depthLimit) return { max: maxDepth, whenFull }
  throw optionInvalid(`${option}.maxDepth`, maxDepth, `a whole number from 1 to ${depthLimit}`)
}

/**
 * Checks how long to wait; milliseconds, `Infinity` for as long as it takes.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID`.
 */
export function roomWait(wait: RoomWait): { readonly timeoutMs: number; readonly signal: AbortSignal | undefined } {
  if (typeof wait !== 'object' || wait === null) throw optionInvalid('waitForRoom', wait, 'an object with timeout, signal')
  refuseUnknownOptions(wait, knownWait, 'waitForRoom.')
  const { timeout = Number.POSITIVE_INFINITY, signal } = wait
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw optionInvalid('waitForRoom.signal', signal, 'an AbortSignal')
  return { timeoutMs: durationMs(timeout, 'waitForRoom.timeout', { infinite: true }), signal }
}
