/**
 * The app's side of the thread that holds its presence locks. A lock in the name of a supervisor keeps its jobs from being
 * taken while inline handlers of it run, also when the supervisor thread itself has died.
 */
import { Worker } from 'node:worker_threads'
import type { OwnerId } from '../../job/lease.ts'
import { siblingModule } from '../../sibling-module.ts'
import type { PresenceAnswer, PresenceWish } from '../../supervisor/inline/presence-messages.ts'
import { reviveError } from '../../threads/revive-error.ts'

/** Holds locks. The thread is opened when it is first needed; it never keeps the process alive. */
export class InlinePresence {
  readonly #database: string
  readonly #holding = new Map<OwnerId, PromiseWithResolvers<void>>()
  #worker: Worker | null = null

  constructor(database: string) {
    this.#database = database
  }

  /**
   * Resolves once the lock is held.
   *
   * @throws ReeveError `REEVE_DATABASE_…` where it cannot be.
   */
  hold(owner: OwnerId): Promise<void> {
    const known = this.#holding.get(owner)
    if (known !== undefined) return known.promise
    const holding = Promise.withResolvers<void>()
    this.#holding.set(owner, holding)
    this.#say({ type: 'hold', owner })
    return holding.promise
  }

  /** Gives the lock up: no handler of this owner is at work. */
  release(owner: OwnerId): void {
    if (this.#holding.delete(owner)) this.#say({ type: 'release', owner })
  }

  /** Ends the thread, once it has given up what it was told to; it is opened again where it is needed. */
  close(): void {
    this.#worker?.postMessage({ type: 'end' } satisfies PresenceWish)
    this.#worker = null
  }

  #say(wish: PresenceWish): void {
    this.#worker ??= this.#open()
    this.#worker.postMessage(wish)
  }

  #open(): Worker {
    const workerData = { database: this.#database }
    const worker = new Worker(siblingModule('../../supervisor/inline/presence-main', import.meta.url), {
      name: 'reeve-presence',
      workerData,
    })
    worker.on('message', ({ owner, error }: PresenceAnswer) => {
      const holding = this.#holding.get(owner)
      if (error === null) return holding?.resolve()
      this.#holding.delete(owner)
      holding?.reject(reviveError(error))
    })
    worker.on('error', (error) => {
      this.#worker = null
      for (const holding of this.#holding.values()) holding.reject(error)
      this.#holding.clear()
    })
    worker.unref()
    return worker
  }
}
