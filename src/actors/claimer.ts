/**
 * Asks the store for jobs, one claim at a time, and remembers what the last answer said about the next one. It decides
 * nothing about threads: the dispatcher says how many jobs it has room for.
 */
import type { Clock } from '../clock.ts'
import type { KindCatalog } from '../job/kind.ts'
import type { OwnerId } from '../job/lease.ts'
import type { LocalLimit } from '../job/limits.ts'
import type { ClaimAnswer, ClaimCommand } from '../persistence/commands/claim.ts'
import type { Committer } from './committer.ts'
import { type Occupancy, Quarantine } from './quarantine.ts'

/** What a claimer works with. */
export interface ClaimerOptions {
  readonly committer: Pick<Committer, 'submit'>
  readonly clock: Clock
  readonly owner: OwnerId
  readonly leaseDurationMs: number
  readonly queues: readonly string[] | null
  /** Queues that somebody else of this owner takes care of. */
  readonly queuesExcluded: () => readonly string[]
  /** Of no group more than so many at once; absent for any number. */
  readonly groupMax?: number | undefined
  /** The number of the last claim, shared by all claimers of an owner. */
  readonly claimNumbers: { last: number }
  readonly attemptsMaxDefault: number
  /** A claim may be worth it again, for the passing of time alone. */
  readonly reopened: () => void
}

/** Takes what a claim has leased. */
export type Take = (answer: ClaimAnswer) => void

/** Claims, and knows whether a claim may find something. */
export class Claimer {
  readonly #options: ClaimerOptions
  readonly #quarantine: Quarantine
  #attemptsMaxByKind: Readonly<Record<string, number>> = {}
  #inFlight = false
  /** False once a claim came back with less than it asked for, until something may have become due. */
  #mayHaveDue = true
  #aheadBlocked = false
  /** The kinds that have a breaker. */
  #breakers: readonly string[] = []
  /** The last claim met a limit that was full. */
  #limited = false
  #localLimits: readonly LocalLimit[] = []

  constructor(options: ClaimerOptions) {
    this.#options = options
    this.#quarantine = new Quarantine(options.clock, options.reopened)
  }

  /** From now on these are the options of each kind, and the limits of what is run here. */
  useKinds(catalog: KindCatalog, localLimits: readonly LocalLimit[]): void {
    this.#localLimits = localLimits
    this.#breakers = Object.keys(catalog).filter((kind) => catalog[kind]?.breaker !== undefined)
    this.#attemptsMaxByKind = Object.fromEntries(
      Object.entries(catalog).flatMap(([kind, { attemptsMax }]) => (attemptsMax === undefined ? [] : [[kind, attemptsMax]])),
    )
  }

  /** Something may have become due. */
  wake(): void {
    this.#mayHaveDue = true
  }

  /** A job that was leased here is not any more: it may have made room under a limit. */
  freed(): void {
    if (this.#limited) this.#mayHaveDue = true
  }

  /** Whether a claim may find something, and none is under way. */
  get isWorthIt(): boolean {
    return this.#mayHaveDue && !this.#inFlight
  }

  /** Whether a claim is under way. */
  get inFlight(): boolean {
    return this.#inFlight
  }

  /** The next due job is on its last attempt, or under a limit: it is claimed for an idle thread only, never ahead. */
  get aheadBlocked(): boolean {
    return this.#aheadBlocked
  }

  /**
   * Claims what the occupancy allows, and gives it to `take` after the COMMIT. Does nothing where a claim is under way, would find
   * nothing, or must wait for a suspect.
   *
   * @throws ReeveError as {@link Committer.submit} does.
   */
  async claim(room: { readonly limit: number; readonly ahead: number }, occupancy: Occupancy, take: Take): Promise<void> {
    if (!this.isWorthIt) return
    const scope = this.#quarantine.scope(occupancy)
    if (scope === 'none') return
    this.#inFlight = true
    this.#mayHaveDue = false
    const command = this.#command(room, scope === 'suspect-first')
    let answer: ClaimAnswer
    try {
      answer = await this.#options.committer.submit(command)
    } catch (error) {
      this.#inFlight = false
      throw error
    }
    // In one step with taking the jobs over (which may claim again): a drain or a cancel that looks in between must find them.
    this.#inFlight = false
    this.#learn(command, answer)
    take(answer)
  }

  /** Stops its timer. */
  stop(): void {
    this.#quarantine.stop()
  }

  #command({ limit, ahead }: { readonly limit: number; readonly ahead: number }, alone: boolean): ClaimCommand {
    const { clock, owner, leaseDurationMs, queues, queuesExcluded, claimNumbers, attemptsMaxDefault } = this.#options
    const now = clock.wall()
    return {
      type: 'claim',
      now,
      owner,
      claimNumber: ++claimNumbers.last,
      leaseExpiresAt: now + leaseDurationMs,
      limit,
      ahead,
      alone,
      queues,
      queuesExcluded: queuesExcluded(),
      breakers: this.#breakers,
      groupMax: this.#options.groupMax ?? null,
      localLimits: this.#localLimits,
      attemptsMaxByKind: this.#attemptsMaxByKind,
      attemptsMaxDefault,
    }
  }

  #learn({ now, limit, ahead }: ClaimCommand, { jobs, nextRunAt, suspectsDue, limited }: ClaimAnswer): void {
    this.#limited = limited
    this.#quarantine.suspectsDue(suspectsDue)
    this.#aheadBlocked = nextRunAt !== null && nextRunAt <= now
    if (jobs.length === limit + ahead || this.#aheadBlocked || suspectsDue) this.#mayHaveDue = true
  }
}
