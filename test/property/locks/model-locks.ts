/** Locks, said as plainly as can be: who holds which, and when a holder counts. */

/** One taking. `holds` says whether its holder still does. */
export interface Taking {
  readonly name: string
  readonly taking: string
  readonly token: number
  readonly expiresAt: number | null
  readonly holds: () => boolean
}

/** What the model says of a lock command. */
export type LockVerdict = 'taken' | 'busy' | 'stale'

/** All takings that were not freed. */
export class ModelLocks {
  #takings: Taking[] = []

  /** Who holds the lock now. */
  holder(name: string, now: number): Taking | undefined {
    return this.#takings.find(
      (taking) => taking.name === name && (taking.expiresAt === null || taking.expiresAt > now) && taking.holds(),
    )
  }

  /** What a taking is to be answered. */
  verdict(name: string, taking: string, holds: () => boolean, now: number): LockVerdict {
    if (!holds()) return 'stale'
    const holder = this.holder(name, now)
    return holder === undefined || holder.taking === taking ? 'taken' : 'busy'
  }

  /** Notes a taking that was answered `taken`. */
  note(taken: Taking): void {
    this.#takings = [...this.#takings.filter(({ name }) => name !== taken.name), taken]
  }

  free(name: string, taking: string): void {
    this.#takings = this.#takings.filter((other) => other.name !== name || other.taking !== taking)
  }
}
