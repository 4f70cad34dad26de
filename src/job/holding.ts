/**
 * Taking a lock, holding it while a function runs, and freeing it: the same for a handler and for the app, which differ in whom
 * they ask. An error of `fn` goes through; the lock is freed first.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../clock.ts'
import { optionInvalid, ReeveError } from '../errors.ts'
import { type HeldLock, LockBusyError, type LockOptions, type LockOutcome, type LockWish, lockWishOf } from './lock.ts'

/** Whom a holder asks. */
export interface LockDesk {
  readonly clock: Pick<Clock, 'wall' | 'after'>
  take(wish: LockWish, taking: string): Promise<LockOutcome>
  release(name: string, taking: string): Promise<unknown>
  /** A name that no other taking has. */
  newTaking(): string
  /** The error where the taker's attempt is over. */
  over(): ReeveError
  /** Calls `lost` when the holder itself is told to stop, or has lost what its locks hang on; returns how to listen no more. */
  onLost(lost: (reason: unknown) => void): () => void
}

/** The locks that the code which runs now holds, through its promises and timers. */
const held = new AsyncLocalStorage<ReadonlySet<string>>()

/**
 * Runs `fn` under the lock.
 *
 * @throws LockBusyError, ReeveError `REEVE_LOCK_HELD_HERE` (from within `fn` of the same lock), `REEVE_OPTION_INVALID`, and what `fn` throws.
 */
export async function holding<T>(
  desk: LockDesk,
  name: string,
  fn: (lock: HeldLock) => T | Promise<T>,
  options: LockOptions | undefined,
): Promise<T> {
  const wish = lockWishOf(name, options)
  if (typeof fn !== 'function') throw optionInvalid('fn', fn, 'the function that is run while the lock is held')
  const outer = held.getStore() ?? new Set()
  if (outer.has(name)) throw heldHere(name)
  const taking = desk.newTaking()
  const outcome = await desk.take(wish, taking)
  if (outcome.type === 'stale') throw desk.over()
  if (outcome.type === 'own') throw heldHere(name)
  if (outcome.type === 'busy') throw new LockBusyError(name, outcome.holder, wish.waitMs)
  const { signal, end } = watch(desk, name, outcome.expiresAt)
  try {
    return await held.run(new Set([...outer, name]), fn, { token: outcome.token, signal })
  } finally {
    end()
    await desk.release(name, taking)
  }
}

/** The signal of a held lock. */
function watch(
  desk: LockDesk,
  name: string,
  expiresAt: number | null,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController()
  const stop = desk.onLost((reason) => controller.abort(reason))
  const timer =
    expiresAt === null
      ? undefined
      : desk.clock.after(Math.max(expiresAt - desk.clock.wall(), 0), () => controller.abort(lockLost(name, 'its ttl is over')))
  return {
    signal: controller.signal,
    end() {
      timer?.cancel()
      stop()
    },
  }
}

/** Why the signal of a held lock aborts. */
export function lockLost(name: string, why: string): ReeveError {
  return new ReeveError('REEVE_LOCK_LOST', `The lock '${name}' is lost: ${why}. Another may hold it now; write nothing more.`)
}

function heldHere(name: string): ReeveError {
  return new ReeveError(
    'REEVE_LOCK_HELD_HERE',
    `The lock '${name}' is held by who asks for it: it would wait for itself. Take it once, around both, or only by \`exclusive\` of the kind.`,
  )
}
