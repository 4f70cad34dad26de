/** Who holds which limit: counted over the running jobs, whenever a claim asks. */
import type { LocalLimit } from '../../../job/limits.ts'

/** A queue and a kind. */
export interface Pair {
  readonly queue: string
  readonly kind: string
}

/** A job as gates see it. */
export interface GatedJob extends Pair {
  readonly grp: string | null
}

/** How many running jobs hold each limit. */
export class Held {
  readonly #counts = new Map<string, number>()
  readonly #localCounts: number[]
  /** The claimer's own jobs, by queue and group. */
  readonly #groupsHere = new Map<string, Map<string, number>>()
  readonly #localLimits: readonly LocalLimit[]
  readonly #resourceOf: (kind: string) => string | null

  constructor(localLimits: readonly LocalLimit[], resourceOf: (kind: string) => string | null) {
    this.#localLimits = localLimits
    this.#localCounts = localLimits.map(() => 0)
    this.#resourceOf = resourceOf
  }

  /** One more job is running; `own` is whether by the claimer. */
  add(job: GatedJob, own = true): void {
    const resource = this.#resourceOf(job.kind)
    const keys = [`kind:${job.kind}`, `queue:${job.queue}`]
    if (resource !== null) keys.push(`resource:${resource}`)
    if (job.grp !== null) keys.push(groupKey('kind', job), groupKey('queue', job))
    for (const key of keys) this.#counts.set(key, this.of(key) + 1)
    if (!own) return
    if (job.grp !== null) this.#addHere(job.queue, job.grp)
    for (const [index, limit] of this.#localLimits.entries()) {
      if (isOf(job, limit)) this.#localCounts[index] = (this.#localCounts[index] ?? 0) + 1
    }
  }

  #addHere(queue: string, group: string): void {
    const groups = this.#groupsHere.get(queue) ?? new Map<string, number>()
    groups.set(group, (groups.get(group) ?? 0) + 1)
    this.#groupsHere.set(queue, groups)
  }

  /** The groups of a queue of which it holds at least so many. */
  groupsHere(queue: string, least: number): string[] {
    const groups = this.#groupsHere.get(queue) ?? new Map<string, number>()
    return [...groups].filter(([, count]) => count >= least).map(([group]) => group)
  }

  /** How many hold the limit of this name. */
  of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  /** How many of the claimer's own hold a limit of its own. */
  ofLocal(limit: LocalLimit): number {
    return this.#localCounts[this.#localLimits.indexOf(limit)] ?? 0
  }
}

/** Whether a limit is on the jobs of a pair. */
export function isOf({ queue, kind }: Pair, limit: LocalLimit): boolean {
  return (limit.queue === null || limit.queue === queue) && (limit.kinds === null || limit.kinds.includes(kind))
}

/** A group is of a queue; the same name in another queue is another group. */
export function groupKey(scope: string, { queue, kind, grp }: GatedJob): string {
  return JSON.stringify(scope === 'kind' ? [queue, grp, kind] : [queue, grp])
}
