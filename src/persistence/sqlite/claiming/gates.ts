/**
 * What holds the jobs of a (queue, kind) back: pauses, concurrency limits, rates, breakers, locks that it must have. Gates are looked at before jobs are: for a
 * pair whose gate is shut no row is read. There is no table of slots: a holder of a limit is a running job, so a slot goes with
 * the settle because the row does. Running rows are few, so a claim that meets a limit reads them all.
 */
import type { Database } from 'better-sqlite3'
import type { JobId } from '../../../job/lease.ts'
import type { LocalLimit, Ring } from '../../../job/limits.ts'
import type { ClaimCommand } from '../../commands/claim.ts'
import { type BreakerGates, prepareBreakerGates } from './breakers.ts'
import { type ClaimedLease, type Exclusive, prepareExclusive } from './exclusive.ts'
import { type GatedJob, groupKey, Held, isOf, type Pair } from './held.ts'
import { prepareRates, type RateKey, type Rates } from './rates.ts'

/** A job that a claim has just taken. */
export interface TakenJob extends GatedJob {
  readonly seq: number
  readonly id: JobId
  /** As it was before the claim. */
  readonly token: number
}

/** A pause that is over is kept for a while: the clock may go back. */
const keptAfterMs = 60_000

/** Both at once for what has no time: a full limit, a pause without an end. */
export const never: number = Number.POSITIVE_INFINITY

/** The gates of one claim. Times are wall clock: at or before the claim's `now` is open, {@link never} has no time. */
export interface Gates {
  /** Whether any limit or rate, or a breaker that is not closed, is on the pair: its jobs are not read ahead. */
  isGated(pair: Pair): boolean
  /** When a job of the pair may be taken. */
  opensAt(pair: Pair): number
  /** When a job of this group may be taken, its pair and a pause of the group aside: `never` where the group is full. */
  groupOpensAt(job: GatedJob): number
  /** The groups of a queue of which the claimer holds as many as it may: a matter of its own, so their lanes stay as they are. */
  groupsFullHere(queue: string): readonly string[]
  /** When the pause of a job's group ends. Lanes know it by themselves; suspects wait in none. */
  groupPausedUntil(job: GatedJob): number
  /** A job was taken: it holds its limits from now on. */
  taken(job: TakenJob): void
  /** Whether something was held back by a full limit. */
  readonly metFull: boolean
}

/** The statements, for a test of their plans. The running rows are read by an index that holds no others. */
export const gateSql = {
  paused: `SELECT scope, name, until FROM reeve_pauses WHERE (scope = 'kind' OR scope = 'queue') AND (until IS NULL OR until > ?)`,
  groupPaused: `SELECT until FROM reeve_pauses WHERE scope = 'group' AND queue = ? AND name = ?`,
  expired: 'DELETE FROM reeve_pauses INDEXED BY reeve_pauses_until WHERE until IS NOT NULL AND until <= ?',
  limits: 'SELECT scope, name, concurrency, group_concurrency, rate, group_rate, resource, exclusive FROM reeve_limits',
  running: `SELECT queue, kind, grp, owner, claim_number FROM reeve_jobs INDEXED BY reeve_jobs_running WHERE state = 'running'`,
} as const

interface LimitRow {
  readonly scope: 'kind' | 'queue' | 'resource'
  readonly name: string
  readonly concurrency: number | null
  readonly group_concurrency: number | null
  readonly rate: string | null
  readonly group_rate: string | null
  readonly resource: string | null
  readonly exclusive: string | null
}

interface RunningRow extends GatedJob {
  readonly owner: string
  readonly claim_number: number
}

/** Whose claim it is, and what of its own it is not to count: the jobs that this claim has taken. */
export type GateScope = Pick<ClaimCommand, 'now' | 'owner' | 'breakers' | 'groupMax' | 'localLimits'> & {
  readonly before?: { readonly claimNumber: number; readonly jobs: readonly GatedJob[] }
}

/** Prepares the gates for a connection. */
export function prepareGates(db: Database): (scope: GateScope) => Gates {
  const paused = db.prepare<[number], { scope: 'kind' | 'queue'; name: string; until: number | null }>(gateSql.paused)
  const groupPaused = db.prepare<[string, string], number | null>(gateSql.groupPaused).pluck()
  const expired = db.prepare(gateSql.expired)
  const limits = db.prepare<[], LimitRow>(gateSql.limits)
  const running = db.prepare<[], RunningRow>(gateSql.running)
  const rates = prepareRates(db)
  const exclusive = prepareExclusive(db)
  const breakersOf = prepareBreakerGates(db)
  return (scope) => {
    expired.run(scope.now - keptAfterMs)
    const pauses = new Map(paused.all(scope.now).map((row) => [`${row.scope}:${row.name}`, row.until ?? never]))
    return new ClaimGates({
      scope,
      pauses,
      limits: new Map(limits.all().map((row) => [`${row.scope}:${row.name}`, row])),
      running: () => running.all(),
      groupPausedUntil(queue, group) {
        const until = groupPaused.get(queue, group)
        return until === undefined ? 0 : (until ?? never)
      },
      rates,
      exclusive,
      breakers: breakersOf(scope),
    })
  }
}

interface GateFacts {
  readonly scope: GateScope
  readonly pauses: ReadonlyMap<string, number>
  readonly limits: ReadonlyMap<string, LimitRow>
  readonly running: () => readonly RunningRow[]
  readonly groupPausedUntil: (queue: string, group: string) => number
  readonly rates: Rates
  readonly exclusive: Exclusive
  readonly breakers: BreakerGates
}

class ClaimGates implements Gates {
  readonly #facts: GateFacts
  metFull = false
  #held: Held | undefined

  constructor(facts: GateFacts) {
    this.#facts = facts
  }

  isGated(pair: Pair): boolean {
    return this.#limitsOf(pair).length > 0 || this.#localOf(pair).length > 0 || this.#facts.breakers.isOn(pair.kind)
  }

  opensAt(pair: Pair): number {
    const { pauses, breakers } = this.#facts
    let at = Math.max(pauses.get(`queue:${pair.queue}`) ?? 0, pauses.get(`kind:${pair.kind}`) ?? 0)
    for (const limit of this.#limitsOf(pair)) {
      if (limit.rate !== null) at = Math.max(at, this.#rateOpensAt(limit, limit.rate, null))
      if (limit.exclusive !== null && at !== never) at = Math.max(at, this.#locksFreeAt(limit.exclusive))
    }
    const letsAt = breakers.opensAt(pair.kind)
    if (letsAt !== never) at = Math.max(at, letsAt)
    else if (at !== never) return this.#full()
    // A pair that is paused is not full: whatever settles, it stays shut.
    return at !== never && this.#isFull(pair) ? this.#full() : at
  }

  groupOpensAt(job: GatedJob): number {
    if (job.grp === null) return 0
    let at = 0
    for (const limit of this.#limitsOf(job)) {
      if (limit.group_rate !== null) at = Math.max(at, this.#rateOpensAt(limit, limit.group_rate, job))
      const { group_concurrency: most } = limit
      if (most !== null && this.#counts().of(groupKey(limit.scope, job)) >= most) return this.#full()
    }
    return at
  }

  groupsFullHere(queue: string): readonly string[] {
    const { groupMax } = this.#facts.scope
    const full = groupMax === null ? [] : this.#counts().groupsHere(queue, groupMax)
    if (full.length > 0) this.#full()
    return full
  }

  groupPausedUntil({ queue, grp }: GatedJob): number {
    return grp === null ? 0 : this.#facts.groupPausedUntil(queue, grp)
  }

  taken(job: TakenJob): void {
    this.#held?.add(job)
    const { scope, rates, exclusive, breakers } = this.#facts
    breakers.taken(job)
    for (const limit of this.#limitsOf(job)) {
      if (limit.rate !== null) rates.hit(rateKey(limit, null), ringOf(limit.rate), scope.now)
      if (limit.group_rate !== null && job.grp !== null) rates.hit(rateKey(limit, job), ringOf(limit.group_rate), scope.now)
      if (limit.exclusive !== null) exclusive.take(namesOf(limit.exclusive), leaseOf(job, scope), scope.now)
    }
  }

  /** A lock without a bound is like a full limit: whoever frees it wakes the claim. */
  #locksFreeAt(names: string): number {
    const { exclusive, scope } = this.#facts
    const at = exclusive.freeAt(namesOf(names), scope.now)
    return at === never ? this.#full() : at
  }

  #full(): number {
    this.metFull = true
    return never
  }

  #isFull(pair: Pair): boolean {
    for (const limit of this.#limitsOf(pair)) {
      if (limit.concurrency !== null && this.#counts().of(`${limit.scope}:${limit.name}`) >= limit.concurrency) return true
      const resource = limit.resource === null ? undefined : this.#facts.limits.get(`resource:${limit.resource}`)
      if (resource?.concurrency != null && this.#counts().of(`resource:${resource.name}`) >= resource.concurrency) return true
    }
    return this.#localOf(pair).some((limit) => this.#counts().ofLocal(limit) >= limit.limit)
  }

  /** A rate that this claim has used was open when the claim began. */
  #rateOpensAt(limit: LimitRow, ring: string, job: GatedJob | null): number {
    const { scope, rates } = this.#facts
    const uses = (other: GatedJob) =>
      (limit.scope === 'kind' ? other.kind === limit.name : other.queue === limit.name) &&
      (job === null || (other.queue === job.queue && other.grp === job.grp))
    if (scope.before?.jobs.some(uses) === true) return 0
    return rates.opensAt(rateKey(limit, job), ringOf(ring))
  }

  #limitsOf({ queue, kind }: Pair): LimitRow[] {
    const { limits } = this.#facts
    return [limits.get(`kind:${kind}`), limits.get(`queue:${queue}`)].filter((limit) => limit !== undefined)
  }

  #localOf(pair: Pair): LocalLimit[] {
    return this.#facts.scope.localLimits.filter((limit) => isOf(pair, limit))
  }

  #counts(): Held {
    this.#held ??= this.#readHeld()
    return this.#held
  }

  #readHeld(): Held {
    const { scope, limits, running } = this.#facts
    const { owner, before, localLimits } = scope
    const held = new Held(localLimits, (kind) => limits.get(`kind:${kind}`)?.resource ?? null)
    for (const row of running()) {
      const own = row.owner === owner
      if (!own || row.claim_number !== before?.claimNumber) held.add(row, own)
    }
    return held
  }
}

function rateKey({ scope, name }: LimitRow, group: GatedJob | null): RateKey {
  const of = scope === 'kind' ? 'kind' : 'queue'
  return { scope: of, name, queue: group?.queue ?? '', grp: group?.grp ?? '' }
}

function namesOf(column: string): string[] {
  return JSON.parse(column) as string[]
}

function leaseOf({ seq, token }: TakenJob, { owner }: GateScope): ClaimedLease {
  return { seq, token: token + 1, owner }
}

function ringOf(column: string): Ring {
  return JSON.parse(column) as Ring
}
