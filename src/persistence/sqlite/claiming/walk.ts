/**
 * In which order a claim takes jobs where there are groups or gates. By priority first. Among jobs without a group by due time,
 * then insertion; among groups the one that was served longest ago, and in it by due time. Where both wait at one priority
 * they alternate, so that a backlog of the one side delays no job of the other by more than one.
 *
 * Each pair has a source on each side, with its first job looked up; the walk takes from the first source of all.
 */
import type { Database } from 'better-sqlite3'
import type { ClaimCommand } from '../../commands/claim.ts'
import type { DueRow } from '../due-jobs.ts'
import { type Gates, never } from './gates.ts'
import type { Pair } from './held.ts'
import { type DueLane, type Pairs, preparePairs, type Side } from './pairs.ts'
import type { Turns } from './turns.ts'

/** What stands for ever in a column of times. */
const foreverMs = 9e15
/** Past this number it is forgotten whose turn it is. */
const choosersMax = 1_000

/** A walk over what is due, and over what will be. */
export interface Walk {
  /** Offers up to `count` jobs, one after the other; ends when none is left, or `take` returns false and so leaves one. */
  run(round: Round, count: number, take: (job: DueRow) => boolean): void
  /** When something that is left may be taken, at the earliest `now`; null where no time will tell. */
  nextRunAt(round: Round): number | null
  /** Whether a group is full. */
  anyClosed(): boolean
}

/** What one claim walks with. */
export interface Round {
  readonly command: ClaimCommand
  readonly gates: Gates
  readonly turns: Turns
}

/** Prepares the walk for a connection, and keeps whose turn it is. */
export function prepareWalk(db: Database): Walk {
  const pairs = preparePairs(db)
  const alternation = new Alternation()
  return {
    run(round, count, take) {
      const sources = sourcesOf(pairs, round)
      for (let left = count; left > 0; left--) {
        const next = nextOf(sources, round.command, alternation)
        if (next === undefined || !take(next.job)) return
        if (next.both !== null) alternation.took(next.both, next.source.side)
        if (next.source.lane !== undefined) pairs.serve(next.source.lane.id, next.job, round.turns.next())
        next.source.lookUp()
        if (next.source.side === 'lanes') lookUpGroup(sources, next.job)
      }
    },
    nextRunAt(round) {
      const { command, gates } = round
      const times = (['plain', 'lanes'] as const).flatMap((side) =>
        pairsOn(pairs, side, command).map((pair) => {
          const opensAt = gates.opensAt(pair)
          if (opensAt === never) return never
          return Math.max(opensAt, new Source(pairs, side, pair, round).earliest())
        }),
      )
      const earliest = Math.min(...times, never)
      return earliest === never ? null : Math.max(earliest, command.now)
    },
    anyClosed: () => pairs.anyClosed(),
  }
}

/**
 * Which side was taken last where both waited. Kept in memory: it is forgotten with its connection, which costs one job its turn.
 * By who chooses among which jobs, or two that choose differently could give each other the same side for ever.
 */
class Alternation {
  readonly #last = new Map<string, Side>()

  next(chooser: string): Side {
    return this.#last.get(chooser) === 'plain' ? 'lanes' : 'plain'
  }

  took(chooser: string, side: Side): void {
    if (this.#last.size > choosersMax) this.#last.clear()
    this.#last.set(chooser, side)
  }
}

/** The jobs of one pair on one side. */
class Source {
  readonly side: Side
  readonly pair: Pair
  readonly #pairs: Pairs
  readonly #gates: Gates
  readonly #turns: Turns
  readonly #now: number
  /** The priority of its first job; undefined where nothing more may be taken. */
  priority: number | undefined
  job: DueRow | undefined
  /** Where that job is in one. */
  lane: DueLane | undefined

  constructor(pairs: Pairs, side: Side, pair: Pair, { gates, turns }: Round) {
    this.side = side
    this.pair = pair
    this.#pairs = pairs
    this.#gates = gates
    this.#turns = turns
    this.#now = turns.now
    this.priority = this.#pairs.priorityBelow(this.side, this.pair, never)
  }

  /** Finds the first job that is due. A scheduled job of a high priority hides none of a low one. */
  lookUp(): void {
    while (this.priority !== undefined) {
      this.job =
        this.side === 'plain' ? this.#pairs.firstJob(this.pair, this.priority, this.#now) : this.#firstOfLanes(this.priority)
      if (this.job !== undefined) return
      this.priority = this.#pairs.priorityBelow(this.side, this.pair, this.priority)
    }
    this.job = undefined
  }

  /** Whether its first job may still be taken: what was taken since may have filled a limit. Else it finds the next one, or none. */
  holds(): boolean {
    if (this.#gates.opensAt(this.pair) > this.#now) {
      this.priority = undefined
      this.job = undefined
      return false
    }
    if (this.lane === undefined || this.#isOpen(this.lane)) return true
    this.lookUp()
    return false
  }

  isBefore(other: Source): boolean {
    const [a, b] = [this.#place(), other.#place()]
    const at = a.findIndex((part, index) => part !== b[index])
    return at !== -1 && (a[at] as number) < (b[at] as number)
  }

  /** When its first job may be taken, whatever its priority. */
  earliest(): number {
    let earliest = never
    for (let { priority } = this; priority !== undefined; priority = this.#pairs.priorityBelow(this.side, this.pair, priority)) {
      const at =
        this.side === 'plain'
          ? this.#pairs.firstRunAt(this.pair, priority)
          : this.#firstOfLanes(priority) === undefined
            ? this.#pairs.firstDue(this.pair, priority, this.#turns.horizon, this.#gates.groupsFullHere(this.pair.queue))
            : this.#now
      if (at !== undefined && at < foreverMs) earliest = Math.min(earliest, Math.ceil(at))
    }
    return earliest
  }

  /** The first lane whose group has room. Each one that has none is shut, so that it is met once only. */
  #firstOfLanes(priority: number): DueRow | undefined {
    const but = this.#gates.groupsFullHere(this.pair.queue)
    do this.lane = this.#pairs.firstLane(this.pair, priority, this.#turns, but)
    while (this.lane !== undefined && !this.#isOpen(this.lane))
    return this.lane?.job
  }

  #isOpen({ id, job }: DueLane): boolean {
    if (job.grp !== null && this.#gates.groupsFullHere(job.queue).includes(job.grp)) return false
    const opensAt = this.#gates.groupOpensAt(job)
    if (opensAt <= this.#now) return true
    if (opensAt === never) this.#pairs.close(id)
    else this.#pairs.block(id, opensAt)
    return false
  }

  #place(): number[] {
    const { job } = this
    if (job === undefined) return []
    return this.lane === undefined ? [job.run_at, job.seq] : [this.lane.due, job.run_at, job.seq]
  }
}

function pairsOn(pairs: Pairs, side: Side, { queues, queuesExcluded }: ClaimCommand): Pair[] {
  return pairs.list(side, queues).filter(({ queue }) => !queuesExcluded.includes(queue))
}

function sourcesOf(pairs: Pairs, round: Round): Source[] {
  const { command, gates } = round
  const sources = (['plain', 'lanes'] as const).flatMap((side) =>
    pairsOn(pairs, side, command)
      .filter((pair) => gates.opensAt(pair) <= command.now)
      .map((pair) => new Source(pairs, side, pair, round)),
  )
  for (const source of sources) source.lookUp()
  return sources
}

/** The job whose turn it is, where it comes from, and (where both sides wait) by which key the turn is kept. */
interface Next {
  readonly source: Source
  readonly job: DueRow
  readonly both: string | null
}

function nextOf(
  sources: readonly Source[],
  { queues, queuesExcluded, groupMax }: ClaimCommand,
  alternation: Alternation,
): Next | undefined {
  for (;;) {
    const priority = sources.reduce((highest, source) => Math.max(highest, source.priority ?? -never), -never)
    if (priority === -never) return undefined
    const [plain, lanes] = (['plain', 'lanes'] as const).map((side) => firstOf(sources, side, priority))
    const unsure = [plain, lanes].filter((source) => source !== undefined)
    if (unsure.some((source) => !source.holds())) continue
    const both = plain !== undefined && lanes !== undefined ? JSON.stringify([queues, queuesExcluded, groupMax, priority]) : null
    const source = both !== null && alternation.next(both) === 'plain' ? plain : (lanes ?? plain)
    if (source?.job !== undefined) return { source, job: source.job, both }
  }
}

function firstOf(sources: readonly Source[], side: Side, priority: number): Source | undefined {
  let first: Source | undefined
  for (const source of sources) {
    if (source.side !== side || source.priority !== priority) continue
    if (first === undefined || source.isBefore(first)) first = source
  }
  return first
}

/** A turn serves the whole group: where another kind of it is next, too, it has had its turn. */
function lookUpGroup(sources: readonly Source[], { queue, grp, priority }: DueRow): void {
  for (const source of sources) {
    const { job } = source
    if (source.side === 'lanes' && job?.queue === queue && job.grp === grp && job.priority === priority) source.lookUp()
  }
}
