/** The line of a runtime that takes locks. */
import type { Jobs } from '../../job/definition.ts'
import { holding, lockLost } from '../../job/holding.ts'
import type { HeldLock, LockHolder, LockOptions } from '../../job/lock.ts'
import { realRandom } from '../../random.ts'
import { closedError } from '../supervisor-thread.ts'
import { Queues } from './queues.ts'

/** Shares locks with handlers and with other processes on the file. */
export abstract class Locking<J extends Jobs> extends Queues<J> {
  /**
   * Runs `fn` while this app holds the named lock, which handlers (`ctx.lock`) and all processes on the file share. It is free when `fn` has
   * ended, and at once when this process dies. Where the supervisor thread dies the lock is lost, and `fn`'s signal aborts.
   *
   * @throws LockBusyError (`REEVE_LOCK_BUSY`) where it was not to be had within `wait`; ReeveError `REEVE_LOCK_HELD_HERE` from within `fn` itself,
   * `REEVE_OPTION_INVALID`, `REEVE_DATABASE_…`, `REEVE_SUPERVISOR_DIED`, `REEVE_RUNTIME_CLOSED`; and what `fn` throws.
   * @example
   * ```ts
   * await runtime.lock('report', async ({ token, signal }) => writeReport({ fence: token, signal }), { wait: '5s' })
   * ```
   */
  lock<T>(name: string, fn: (lock: HeldLock) => T | Promise<T>, options?: LockOptions): Promise<T> {
    const { thread, clock } = this.core
    return holding(
      {
        clock,
        take: (wish, taking) => thread.call((calls) => calls.lock(wish, taking)),
        release: (lock, taking) => thread.call((calls) => calls.unlock(lock, taking)),
        newTaking: () => realRandom.id(clock.wall()),
        over: closedError,
        onLost: (lost) => this.core.onDeath(() => lost(lockLost(name, 'the supervisor thread died'))),
      },
      name,
      fn,
      options,
    )
  }

  /**
   * Who holds a lock now, or null.
   *
   * @example
   * ```ts
   * const holder = await runtime.lockHolder('report')
   * ```
   */
  lockHolder(name: string): Promise<LockHolder | null> {
    return this.core.thread.call((calls) => calls.lockHolder(name))
  }
}
