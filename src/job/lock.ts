/** Named locks as handlers and the app take them: the options, and what is told of a holder. */
import { type Duration, durationMs } from '../duration.ts'
import { optionInvalid, ReeveError } from '../errors.ts'
import { refuseUnknownOptions } from './known-options.ts'
import type { JobId, OwnerId } from './lease.ts'

/** A lock's name has at most this many characters. */
export const lockNameLengthMax = 500

/** How a lock is taken. */
export interface LockOptions {
  /** The longest that it is held: past it others may take it, and `fn`'s signal aborts. Default: as long as the holder lives. */
  readonly ttl?: Duration
  /** `false` gives up at once where another holds it, a duration after that long. Default `true`: as long as it takes. */
  readonly wait?: boolean | Duration
}

/** What the function that holds a lock is given. */
export interface HeldLock {
  /**
   * The fencing token: it grows with every taking of any lock and never comes twice. Hand it to what you write to, and let that refuse a
   * smaller one: that is safe even where this thread was stopped past its `ttl`.
   */
  readonly token: number
  /** Aborts when the lock is lost (its `ttl` ended, or the supervisor thread died), and with the handler's own signal. */
  readonly signal: AbortSignal
}

/** Who holds a lock. */
export interface LockHolder {
  readonly token: number
  readonly owner: OwnerId
  /** The job whose handler holds it; null for an app. */
  readonly jobId: JobId | null
  /** Wall clock, milliseconds. */
  readonly takenAt: number
  /** When another may take it; null for no bound. */
  readonly expiresAt: number | null
}

/** Checked options, in milliseconds. */
export interface LockWish {
  readonly name: string
  /** Null for no bound. */
  readonly ttlMs: number | null
  /** 0 gives up at once; `Infinity` never. */
  readonly waitMs: number
}

/** Taken with its fencing token; held by another; or the asking attempt is over. */
export type LockOutcome =
  | { readonly type: 'taken'; readonly token: number; readonly expiresAt: number | null }
  | { readonly type: 'busy'; readonly holder: LockHolder | null }
  /** The asking job was claimed with it. */
  | { readonly type: 'own' }
  | { readonly type: 'stale' }

/** Whether a lock can have this name. */
export function isLockName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.length <= lockNameLengthMax
}

const known: Readonly<Record<keyof LockOptions, true>> = { ttl: true, wait: true }

/**
 * Checks what a lock is asked for with.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option.
 */
export function lockWishOf(name: unknown, options: LockOptions = {}): LockWish {
  if (!isLockName(name)) throw optionInvalid('name', name, `the name of a lock, 1 to ${lockNameLengthMax} characters`)
  if (typeof options !== 'object' || options === null) throw optionInvalid('options', options, 'an object with ttl, wait')
  refuseUnknownOptions(options, known)
  const { ttl, wait = true } = options
  const ttlMs = ttl === undefined ? null : durationMs(ttl, 'ttl')
  if (ttlMs === 0) throw optionInvalid('ttl', ttl, 'a duration above 0')
  const waitMs = typeof wait === 'boolean' ? (wait ? Number.POSITIVE_INFINITY : 0) : durationMs(wait, 'wait', { infinite: true })
  return { name, ttlMs, waitMs }
}

/**
 * Another holds the lock, and the wait for it was over. Tell it by `name` or `code`: where a class comes from another copy of the
 * package, `instanceof` says no.
 *
 * @example
 * ```ts
 * await ctx.lock('report', write, { wait: false }).catch((error) => {
 *   if (error.name !== 'LockBusyError') throw error
 * })
 * ```
 */
export class LockBusyError extends ReeveError {
  override readonly name: string = 'LockBusyError'
  /** Who holds it, as far as that was known at the end of the wait. */
  readonly holder: LockHolder | null

  constructor(lock: string, holder: LockHolder | null, waitedMs: number) {
    const by = holder === null ? 'another' : holder.jobId === null ? 'an app' : `job ${holder.jobId}`
    super(
      'REEVE_LOCK_BUSY',
      `The lock '${lock}' is held by ${by}${waitedMs > 0 ? ` and was not free within ${waitedMs} ms` : ''}. Wait longer, or try again later.`,
    )
    this.holder = holder
  }
}
