/** How an attempt can end, as the store is told. Pure types; the rules of each end are in `settle.ts` of a store. */
import type { ErrorRecord } from './error-record.ts'
import type { NewJob } from './new-job.ts'
import type { StoredPayload } from './payload.ts'
import type { NewWait } from './step.ts'

/**
 * What the holder of a lease settles with. A job whose cancel was requested becomes `cancelled` whatever is said here:
 * the first decision that committed stands (invariant `cancel-running-decides-once`).
 */
export type Settlement =
  /** The handler returned. `children` are inserted with it, or not at all. */
  | { readonly type: 'complete'; readonly result: StoredPayload; readonly children?: readonly NewJob[] }
  /** The attempt failed: `ready` again after `delayMs` while attempts are left, else `discarded`. */
  | { readonly type: 'fail'; readonly error: ErrorRecord; readonly delayMs: number }
  /** The job is not to be tried again. */
  | { readonly type: 'discard'; readonly error: ErrorRecord }
  /** The attempt was stopped because the job's cancel was requested. */
  | { readonly type: 'cancel' }
  /** The kind's `shouldSkip` said so: `cancelled`, and the tick is on record as skipped. */
  | { readonly type: 'skip' }
  /** Not now: `ready` after `delayMs`, the attempt given back. `error` says why, where there is a reason; `block` holds others back with it. */
  | { readonly type: 'snooze'; readonly delayMs: number; readonly error?: ErrorRecord; readonly block?: Block }
  /** The runtime took the job off its thread (drain, read-ahead handed back): `ready` at once, the attempt given back. */
  | { readonly type: 'interrupted' }
  /** The handler waits: `suspended` until one of its waits is over, or `ready` where one is already; the attempt given back. */
  | { readonly type: 'suspend'; readonly waits: readonly NewWait[] }

/** What a handler asks to be held back besides its own job: nothing of its queue, or of its group, is claimed for `delayMs`. */
export interface Block {
  readonly scope: 'queue' | 'group'
  readonly delayMs: number
}
