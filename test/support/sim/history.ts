/** What happened in a simulated run, kept for the invariants. It judges nothing but what a fact alone can show. */
import type { StopReason } from '../../../src/job/kind.ts'
import type { JobId, LeaseToken, OwnerId } from '../../../src/job/lease.ts'
import type { HandlerOutcome } from '../../../src/threads/protocol.ts'

/** One run of a handler on a simulated thread, from the hand-over until the thread is free or gone. */
export interface RunRecord {
  readonly owner: OwnerId
  readonly threadId: number
  readonly jobId: JobId
  readonly token: LeaseToken
  readonly kind: string
  readonly handedAt: number
  readonly timeoutMs: number
  startedAt: number | null
  /** The first reason that it was asked to stop for, and when. */
  stop: { readonly reason: StopReason; readonly at: number } | null
  terminatedAt: number | null
  /** Its thread was given up and has a replacement. */
  condemned: boolean
  /** The handler has ended: its thread may live on, but this job is not at work there any more. */
  endedAt: number | null
  exitedAt: number | null
  /** What the handler said, once it has. */
  said: HandlerOutcome | null
  readonly notes: string[]
  freed: boolean
}

/** A broken invariant, by its published name. */
export class Broken extends Error {
  readonly invariant: string

  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`)
    this.invariant = invariant
  }
}

/** The facts of one run of the simulation. */
export class History {
  readonly runs: RunRecord[] = []
  readonly dead = new Set<OwnerId>()
  readonly acknowledged = new Set<JobId>()
  readonly asked = new Set<JobId>()
  readonly broken: Broken[] = []
  /** How often each invariant had something to judge. */
  readonly reached: Map<string, number>

  constructor(reached: Map<string, number> = new Map()) {
    this.reached = reached
  }

  /** Notes that an invariant's guard was reached, and that it is broken unless `holds`. */
  check(invariant: string, holds: boolean, message: () => string): void {
    this.reached.set(invariant, (this.reached.get(invariant) ?? 0) + 1)
    if (!holds) this.broken.push(new Broken(invariant, message()))
  }

  /** Whether a handler may still be at work in this run. */
  isLive(run: RunRecord): boolean {
    return run.endedAt === null && run.exitedAt === null && !this.dead.has(run.owner)
  }

  live(): RunRecord[] {
    return this.runs.filter((run) => this.isLive(run))
  }

  /** The run of a lease, if the job was ever handed to a thread under it. */
  runOf(jobId: JobId, token: number): RunRecord | undefined {
    return this.runs.find((run) => run.jobId === jobId && run.token === token)
  }
}
