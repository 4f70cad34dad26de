/**
 * Where handlers and the app wait for locks, in the order of their asking. A waiter takes only where a look found the lock
 * free, and there is a look when something was committed, here or elsewhere, and when a holder's time is up. With nobody in
 * line a commit costs one comparison.
 */
import type { Clock, Timer } from '../clock.ts'
import type { Lease, OwnerId } from '../job/lease.ts'
import type { LockHolder, LockOutcome, LockWish } from '../job/lock.ts'
import type { Store } from '../persistence/store.ts'
import type { Committer } from './committer.ts'

/** What a line works with. */
export interface LockLineOptions {
  readonly store: Pick<Store, 'lockHolder'>
  readonly committer: Pick<Committer, 'submit'>
  readonly clock: Clock
  readonly owner: OwnerId
  /** A lock was freed: a job that must have it may be claimed now. */
  readonly released: () => void
  readonly failed: (error: unknown) => void
}

/** Who takes a lock. */
export interface LockTaker extends LockWish {
  readonly taking: string
  readonly lease: Lease | null
}

interface Waiter {
  readonly taker: LockTaker
  readonly resolve: (outcome: LockOutcome) => void
  readonly reject: (error: unknown) => void
  timer: Timer | undefined
  gone: boolean
}

interface Line {
  readonly waiters: Waiter[]
  /** A look or a taking is under way. */
  busy: boolean
  /** Something was committed since it began. */
  again: boolean
  /** Fires when the time of the present holder is up. */
  timer: Timer | undefined
}

/** The lines of one supervisor, by the name of the lock. */
export class LockLine {
  readonly #options: LockLineOptions
  readonly #lines = new Map<string, Line>()

  constructor(options: LockLineOptions) {
    this.#options = options
  }

  /**
   * Takes the lock, at once or when its turn has come; `busy` once the wait is over, `stale` where the taker's attempt is.
   * `over` ends the wait from outside: what is taken all the same is freed again.
   */
  async take(taker: LockTaker, over: Promise<unknown> | null = null): Promise<LockOutcome> {
    const line = this.#lines.get(taker.name)
    if (line === undefined) {
      const outcome = await this.#submit(taker)
      if (outcome.type !== 'busy' || taker.waitMs === 0) return outcome
      return this.#wait(taker, over, outcome.holder)
    }
    if (taker.waitMs > 0) return this.#wait(taker, over, null)
    // Others were here before: who will not wait does not pass them by.
    return this.#busy(taker.name)
  }

  /** Frees a taking. */
  async release(name: string, taking: string): Promise<void> {
    await this.#options.committer.submit({ type: 'unlock', name, taking })
    this.#options.released()
  }

  /** Something was committed, here or elsewhere. */
  look(): void {
    for (const [name, line] of this.#lines) this.#look(name, line)
  }

  /** Ends all timers; whoever waits is not answered any more. */
  stop(): void {
    for (const { waiters, timer } of this.#lines.values()) {
      timer?.cancel()
      for (const waiter of waiters) waiter.timer?.cancel()
    }
    this.#lines.clear()
  }

  #wait(taker: LockTaker, over: Promise<unknown> | null, holder: LockHolder | null): Promise<LockOutcome> {
    const { clock } = this.#options
    const { name, waitMs } = taker
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { taker, resolve, reject, timer: undefined, gone: false }
      const line: Line = this.#lines.get(name) ?? { waiters: [], busy: false, again: false, timer: undefined }
      this.#lines.set(name, line)
      line.waiters.push(waiter)
      if (waitMs !== Number.POSITIVE_INFINITY) waiter.timer = clock.after(waitMs, () => void this.#giveUp(name, waiter))
      void over?.then(() => this.#leave(name, waiter, { type: 'stale' }))
      this.#watchExpiry(name, line, holder)
      // It may have been freed between the answer and now.
      this.#look(name, line)
    })
  }

  #look(name: string, line: Line): void {
    line.again = line.busy
    if (line.busy || line.waiters.length === 0) return
    line.busy = true
    this.#serve(name, line).then(
      () => {
        line.busy = false
        if (line.again) this.#look(name, line)
      },
      (error: unknown) => {
        line.busy = false
        const waiter = line.waiters[0]
        // The database refused: whoever was first is told; a fault of the actor itself is not the waiter's.
        if (waiter === undefined) return this.#options.failed(error)
        this.#remove(name, waiter)
        waiter.reject(error)
      },
    )
  }

  /** Gives the lock to the first in line, if it is free. */
  async #serve(name: string, line: Line): Promise<void> {
    const { store, clock } = this.#options
    const holder = await store.lockHolder(name, clock.wall())
    const [waiter] = line.waiters
    if (waiter === undefined) return
    if (holder !== null) return this.#watchExpiry(name, line, holder)
    const outcome = await this.#submit(waiter.taker)
    if (waiter.gone) {
      if (outcome.type === 'taken') await this.release(name, waiter.taker.taking)
      return
    }
    if (outcome.type === 'busy') return this.#watchExpiry(name, line, outcome.holder)
    this.#leave(name, waiter, outcome)
    // An attempt that is over holds nothing: the next one's turn.
    if (outcome.type === 'stale') line.again = true
  }

  async #submit({ name, taking, lease, ttlMs }: LockTaker): Promise<LockOutcome> {
    const { committer, clock, owner } = this.#options
    const now = clock.wall()
    const expiresAt = ttlMs === null ? null : now + ttlMs
    const { outcome } = await committer.submit({ type: 'lock', now, name, taking, owner, lease, expiresAt })
    return outcome
  }

  #watchExpiry(name: string, line: Line, holder: LockHolder | null): void {
    line.timer?.cancel()
    line.timer = undefined
    if (holder === null || holder.expiresAt === null) return
    const { clock } = this.#options
    line.timer = clock.after(Math.max(holder.expiresAt - clock.wall(), 1), () => this.#look(name, line))
  }

  async #giveUp(name: string, waiter: Waiter): Promise<void> {
    this.#leave(name, waiter, await this.#busy(name).catch(() => ({ type: 'busy', holder: null }) as const))
  }

  async #busy(name: string): Promise<LockOutcome> {
    const { store, clock } = this.#options
    return { type: 'busy', holder: await store.lockHolder(name, clock.wall()) }
  }

  #leave(name: string, waiter: Waiter, outcome: LockOutcome): void {
    if (waiter.gone) return
    this.#remove(name, waiter)
    waiter.resolve(outcome)
  }

  #remove(name: string, waiter: Waiter): void {
    waiter.gone = true
    waiter.timer?.cancel()
    const line = this.#lines.get(name)
    if (line === undefined) return
    line.waiters.splice(line.waiters.indexOf(waiter), 1)
    if (line.waiters.length > 0) return
    line.timer?.cancel()
    this.#lines.delete(name)
  }
}
