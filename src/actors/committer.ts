/**
 * The one writer. It takes every command that came in this turn, runs them in one transaction, and answers after
 * COMMIT: nothing is dispatched, acknowledged or announced before (invariant `nothing-dispatched-before-commit`).
 *
 * A commit that failed is repeated where that is safe: always while the database is busy or the outcome unknown,
 * and for ever for commands that must not be lost (settle, reclaim, renew). Others are rejected to their caller.
 */
import type { Clock, Timer } from '../clock.ts'
import { ReeveError } from '../errors.ts'
import type { Answer, AnswerTo, Command } from '../persistence/commands/command.ts'
import type { Store } from '../persistence/store.ts'
import type { ServiceLogger } from './service-logger.ts'

/** After a commit of length d the next begins no sooner than this many d later. */
const restPerCommit = 1
/** The longest such rest. */
const restMaxMs = 2
/** A batch stops growing here, so that one commit cannot hold the thread for long. */
const batchMax = 1_000
const retryMinMs = 5
const retryMaxMs = 1_000
/** From this many failures in a row on, about a second, the trouble is reported. */
const failuresToReport = 8

interface Pending {
  readonly command: Command
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
  /** How often it was put off. */
  delays: number
  /** An earlier run of it may have taken effect. */
  repeated: boolean
}

/** Runs the commands of all other actors, grouped. */
export class Committer {
  readonly #store: Pick<Store, 'commit'>
  readonly #clock: Clock
  readonly #logger: ServiceLogger
  readonly #committed: (answers: readonly Answer[]) => void
  #queue: Pending[] = []
  #state: 'idle' | 'scheduled' | 'committing' | 'stopped' = 'idle'
  #restUntil = 0
  #failures = 0
  #commits = 0
  #refusal: ReeveError | null = null
  #idleWaiters: (() => void)[] = []
  #restTimer: Timer | undefined
  #endWait: (() => void) | undefined
  /** What must not be lost and cannot be written now. It holds nobody else up. */
  #putOff: Pending[] = []
  #putOffTimer: Timer | undefined

  constructor(options: {
    readonly store: Pick<Store, 'commit'>
    readonly clock: Clock
    readonly logger: ServiceLogger
    /** Called after each commit, with what it answered. */
    readonly committed?: (answers: readonly Answer[]) => void
  }) {
    this.#store = options.store
    this.#clock = options.clock
    this.#logger = options.logger
    this.#committed = options.committed ?? (() => undefined)
  }

  /** How many commits have succeeded. */
  get commits(): number {
    return this.#commits
  }

  /** From now on what begins something new is rejected with this error; null ends that. What tells of the past is written as ever. */
  refuse(error: ReeveError | null): void {
    this.#refusal = error
  }

  /**
   * Runs a command with the next commit and resolves with its answer.
   *
   * @throws ReeveError `REEVE_RUNTIME_CLOSED` after `stop`; `REEVE_DATABASE_…` for a command that may be rejected.
   */
  submit<C extends Command>(command: C): Promise<AnswerTo<C>> {
    if (this.#state === 'stopped')
      return Promise.reject(new ReeveError('REEVE_RUNTIME_CLOSED', 'The runtime is closed; the database was not changed.'))
    if (this.#refusal !== null && !mustNotBeLost(command)) return Promise.reject(this.#refusal)
    return new Promise((resolve, reject) => {
      this.#queue.push({ command, resolve: resolve as (answer: Answer) => void, reject, delays: 0, repeated: false })
      if (this.#state === 'idle') this.#schedule()
    })
  }

  /** Resolves when every command that was submitted so far, and those that follow from them, are answered. */
  async idle(): Promise<void> {
    while ((this.#state !== 'idle' || this.#putOff.length > 0) && this.#state !== 'stopped')
      await new Promise<void>((resolve) => this.#idleWaiters.push(resolve))
  }

  /** Writes everything that was submitted, then refuses further commands. */
  async finish(): Promise<void> {
    await this.idle()
    this.stop()
  }

  /** Refuses further commands; those still waiting are rejected. Call `idle` first to lose none. */
  stop(): void {
    this.#state = 'stopped'
    this.#restTimer?.cancel()
    this.#endWait?.()
    this.#putOffTimer?.cancel()
    for (const pending of [...this.#queue.splice(0), ...this.#putOff.splice(0)]) pending.reject(closedBeforeWritten())
    this.#wakeIdleWaiters()
  }

  /** A commit waits for company only while the last one is recent, so that an idle queue answers at once. */
  #schedule(): void {
    this.#state = 'scheduled'
    const restMs = this.#restUntil - this.#clock.mono()
    if (restMs > 0) this.#restTimer = this.#clock.after(restMs, () => this.#begin())
    else this.#clock.nextTurn(() => this.#begin())
  }

  #begin(): void {
    if (this.#state !== 'scheduled') return
    this.#state = 'committing'
    void this.#commitNext().then(() => this.#goOn())
  }

  async #commitNext(): Promise<void> {
    const again = this.#putOffTimer === undefined ? this.#putOff.splice(0) : []
    for (const pending of again) await this.#commit([pending], pending.repeated)
    const batch = inOrder(this.#queue.splice(0, batchMax))
    if (batch.length > 0) await this.#commit(batch, false)
  }

  /** Writes a batch, whatever it takes, and answers each of its commands. Never rejects. */
  async #commit(batch: readonly Pending[], repeated: boolean): Promise<void> {
    const begunAt = this.#clock.mono()
    try {
      const answers = await this.#store.commit(
        batch.map(({ command }) => command),
        { repeated },
      )
      this.#failures = 0
      this.#commits++
      this.#committed(answers)
      const endedAt = this.#clock.mono()
      this.#restUntil = endedAt + Math.min((endedAt - begunAt) * restPerCommit, restMaxMs)
      batch.forEach((pending, index) => pending.resolve(answers[index] as Answer))
    } catch (error) {
      await this.#afterFailure(batch, repeated, error)
    }
  }

  async #afterFailure(batch: readonly Pending[], repeated: boolean, error: unknown): Promise<void> {
    const code = error instanceof ReeveError ? error.code : undefined
    const unknown = code === 'REEVE_COMMIT_UNKNOWN'
    const [first] = batch
    if (unknown || code === 'REEVE_DATABASE_BUSY') {
      await this.#repeat(batch, repeated || unknown, error)
    } else if (batch.length > 1) {
      // One command that cannot be written (a payload too large for the disk) must not take its neighbours along.
      for (const pending of batch) await this.#commit([pending], repeated)
    } else if (code !== undefined && first !== undefined && mustNotBeLost(first.command)) {
      this.#putOffUntilLater(first, repeated, error)
    } else {
      first?.reject(error)
    }
  }

  /** On a full disk this is a settle that needs a page: it comes again alone, while renewals that need none go on. */
  #putOffUntilLater(pending: Pending, repeated: boolean, error: unknown): void {
    if (this.#state === 'stopped') return pending.reject(closedBeforeWritten())
    pending.repeated = repeated
    const delayMs = Math.min(retryMinMs * 2 ** pending.delays++, retryMaxMs)
    if (pending.delays === failuresToReport) this.#report(error)
    this.#putOff.push(pending)
    this.#putOffTimer ??= this.#clock.after(delayMs, () => {
      this.#putOffTimer = undefined
      if (this.#state === 'idle') this.#schedule()
    })
  }

  #report(error: unknown): void {
    this.#logger.error({ err: error }, 'the database cannot be written to; trying again')
  }

  async #repeat(batch: readonly Pending[], repeated: boolean, error: unknown): Promise<void> {
    const delayMs = Math.min(retryMinMs * 2 ** this.#failures++, retryMaxMs)
    if (this.#failures === failuresToReport) this.#report(error)
    await new Promise<void>((resolve) => {
      const timer = this.#clock.after(delayMs, resolve)
      this.#endWait = () => {
        timer.cancel()
        resolve()
      }
    })
    if (this.#state === 'stopped') for (const pending of batch) pending.reject(closedBeforeWritten())
    else await this.#commit(batch, repeated)
  }

  #goOn(): void {
    if (this.#state === 'stopped') return
    if (this.#queue.length > 0 || (this.#putOff.length > 0 && this.#putOffTimer === undefined)) return this.#schedule()
    this.#state = 'idle'
    if (this.#putOff.length === 0) this.#wakeIdleWaiters()
  }

  #wakeIdleWaiters(): void {
    for (const wake of this.#idleWaiters.splice(0)) wake()
  }
}

/**
 * Enqueues first and claims last: then a claim sees all that came in with it, and a list that is repeated finds what
 * its first run did, in the same order. What is done by hand goes before all of it: repeated, it does not meet what came with it.
 */
function inOrder(batch: readonly Pending[]): readonly Pending[] {
  const [first] = batch
  if (first === undefined || batch.every((pending) => placeOf(pending) === placeOf(first))) return batch
  return batch.toSorted((a, b) => placeOf(a) - placeOf(b))
}

function placeOf({ command: { type } }: Pending): number {
  if (type === 'steer' || type === 'prune') return 0
  if (type === 'enqueue') return 1
  return type === 'claim' ? 3 : 2
}

/** Commands that only this process can give, and that tell what has already happened. */
function mustNotBeLost({ type }: Command): boolean {
  return type === 'settle' || type === 'reclaim' || type === 'renew'
}

function closedBeforeWritten(): ReeveError {
  return new ReeveError('REEVE_RUNTIME_CLOSED', 'The runtime was closed before this was written.')
}
