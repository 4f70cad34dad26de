/** How much memory one worker may use, and the error of a handler that used more. */
import { ReeveError } from '../errors.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import { encodeError } from './error-codec.ts'

/**
 * Limits of one thread's JavaScript heap and stack; absent ones are Node's defaults. Buffers are not counted, and
 * `--max-old-space-size` overrides the heap limit. An old generation of 1 or 2 MB makes V8 abort the whole process
 * (Node 24), and below 8 MB no thread starts.
 */
export interface ResourceLimits {
  readonly maxOldGenerationSizeMb?: number
  readonly maxYoungGenerationSizeMb?: number
  readonly codeRangeSizeMb?: number
  readonly stackSizeMb?: number
}

/**
 * How much a thread may allocate between two small collections, in MB. Node gives a thread whose heap is full 16 MB more in which to stop; a
 * collection that moves more than that into it aborts the whole process. With Node's default (48) that was most of the time, with
 * this one never but for a single object that is larger (docs/design/0004), and it costs no speed that could be measured.
 */
export const youngGenerationMb = 16

/** What a thread died of, as its `error` event said; a heap that ran full in words that help. */
export function deathOf(error: unknown, limits: ResourceLimits | undefined): ErrorRecord {
  if (!isOutOfMemory(error)) return encodeError(error)
  const limit = limits?.maxOldGenerationSizeMb
  const allowed = limit === undefined ? "Node's default limit for a thread" : `the ${limit} MB of memory.heapMb`
  const message = `The thread ran out of memory: its JavaScript heap grew past ${allowed}. Work in smaller pieces, or raise the limit.`
  return encodeError(new ReeveError('REEVE_THREAD_OUT_OF_MEMORY', message, { cause: error }))
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
