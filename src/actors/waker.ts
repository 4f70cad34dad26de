/**
 * Wakes suspended jobs when their time comes. It keeps nothing but one appointment, with the earliest timer in the store, and looks
 * again whenever there may be an earlier one; whoever wakes a job first, in whichever process, has done it.
 */
import type { Clock } from '../clock.ts'
import { ReeveError } from '../errors.ts'
import { isTerminal } from '../job/state.ts'
import type { ClaimedJob } from '../persistence/commands/claim.ts'
import type { SettleAnswer } from '../persistence/commands/settle.ts'
import type { Store } from '../persistence/store.ts'
import type { Attempt } from './attempt.ts'
import type { Committer } from './committer.ts'
import type { DispatchListener } from './dispatch-listener.ts'
import { DueTimer } from './due-timer.ts'

/** Jobs that one commit wakes; more take several, so that none is long. */
const wakeAtOnce = 500
/** After a look that the database refused, the next one waits this long. */
const refusedDelayMs = 1_000

/** What a waker works with. */
export interface WakerOptions {
  readonly store: Pick<Store, 'pendingWaits'>
  readonly committer: Pick<Committer, 'submit'>
  readonly clock: Clock
  /** Some jobs are `ready` now. */
  readonly woke: () => void
  readonly failed: (error: unknown) => void
}

/** Looks, and wakes what is due. */
export class Waker implements Pick<DispatchListener, 'settled' | 'handedBack'> {
  readonly #options: WakerOptions
  readonly #timer: DueTimer
  #isRunning = false
  #isLooking = false
  #mustLookAgain = false
  /** Whether the end of a job may be what another one waits for. */
  #waitsForJobs = false

  constructor(options: WakerOptions) {
    this.#options = options
    this.#timer = new DueTimer(options.clock, () => this.look())
  }

  start(): void {
    this.#isRunning = true
    this.look()
  }

  stop(): void {
    this.#isRunning = false
    this.#timer.cancel()
  }

  /** A job that was suspended here may have the earliest timer, and brought the job that it invoked. */
  settled(_: Attempt | ClaimedJob, answer: SettleAnswer): void {
    if (answer.type !== 'settled') return
    if (answer.state === 'suspended') this.look()
    // One that is over may be what another one waited for.
    const mayHaveWoken = this.#waitsForJobs && isTerminal(answer.state)
    if (answer.state === 'suspended' || mayHaveWoken) this.#options.woke()
  }

  /** One that never began may have been cancelled. */
  handedBack(job: ClaimedJob, answer: SettleAnswer): void {
    this.settled(job, answer)
  }

  /** There may be an earlier timer (of another process), or the clock was set. */
  look(): void {
    this.#mustLookAgain = true
    if (this.#isLooking || !this.#isRunning) return
    this.#lookAndWake().catch((error: unknown) => this.#afterRefusal(error))
  }

  async #lookAndWake(): Promise<void> {
    const { store, committer, clock, woke } = this.#options
    this.#isLooking = true
    try {
      while (this.#mustLookAgain && this.#isRunning) {
        this.#mustLookAgain = false
        const { nextWakeAt: at, forJobs } = await store.pendingWaits()
        this.#waitsForJobs = forJobs
        let nextWakeAt = at
        while (nextWakeAt !== null && nextWakeAt <= clock.wall() && this.#isRunning) {
          const answer = await committer.submit({ type: 'wake', now: clock.wall(), limit: wakeAtOnce })
          nextWakeAt = answer.nextWakeAt
          woke()
        }
        if (nextWakeAt !== null && this.#isRunning) this.#timer.set(nextWakeAt)
      }
    } finally {
      this.#isLooking = false
    }
  }

  /** The jobs are still there: look again in a while, unless the runtime is closing or something is really wrong. */
  #afterRefusal(error: unknown): void {
    const { clock, failed } = this.#options
    if (!(error instanceof ReeveError)) return failed(error)
    if (error.code !== 'REEVE_RUNTIME_CLOSED' && this.#isRunning) this.#timer.set(clock.wall() + refusedDelayMs)
  }
}
