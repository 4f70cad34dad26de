/**
 * All threads of a runtime: the common ones, and a lane for each kind that asks for its own (memory limits, a child
 * process). A run in a lane keeps one common thread idle, so that no more than `threads` run at once. Here condemned
 * threads of all lanes are counted against the one cap.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../clock.ts'
import type { KindCatalog, KindSettings } from '../job/kind.ts'
import type { LoadedJobs } from '../job/loaded-jobs.ts'
import { Lane } from './lane.ts'
import type { Assignment } from './protocol.ts'
import type { CloseOptions, PoolListener, Run, RunListener, ThreadPool } from './thread-pool.ts'
import type { WorkerPool } from './worker-pool.ts'

/** What the pool of a runtime is made of. */
export interface LanePoolOptions {
  readonly threads: number
  /** How many condemned threads are replaced; past it fewer than `threads` runs fit. */
  readonly condemnedMax: number
  readonly clock: Clock
  /** The common threads, as many as `threads`. */
  readonly common: WorkerPool
  /** Makes the threads of a kind that needs its own, none of them open yet; null for all other kinds. */
  readonly laneOf: (settings: KindSettings) => WorkerPool | null
  /** After how long without a run a lane's threads are closed; default a minute. Child processes keep one. */
  readonly laneIdleMs?: number
}

/** The pool of a runtime. */
export class LanePool implements ThreadPool {
  readonly #options: LanePoolOptions
  /** By kind; null for kinds that take common threads. */
  readonly #lanes = new Map<string, Lane | null>()
  /** Lanes of kinds that are no more, or have other limits now, while anything of them runs. */
  readonly #ending = new Set<Lane>()
  readonly #pools: Set<WorkerPool>
  #catalog: KindCatalog = {}
  #listener: PoolListener | null = null
  /** What the threads of all lanes are heard by. */
  readonly #ear: PoolListener = {
    threadIdle: () => this.#listener?.threadIdle(),
    threadUnusable: (error) => this.#listener?.threadUnusable(error),
    filesFailed: (files) => this.#listener?.filesFailed(files),
    resourceFailed: (error) => this.#listener?.resourceFailed(error),
    lateFault: (fault) => this.#listener?.lateFault(fault),
    condemnedChanged: () => this.#condemnedChanged(),
    failed: (error) => this.#listener?.failed(error),
  }
  #closed = false

  constructor(options: LanePoolOptions) {
    this.#options = options
    this.#pools = new Set([options.common])
  }

  async open(listener: PoolListener): Promise<LoadedJobs> {
    this.#listener = listener
    const loaded = await this.#options.common.open(this.#ear)
    this.#catalog = loaded.catalog
    this.#startAhead()
    return loaded
  }

  async recycle(): Promise<LoadedJobs> {
    const loaded = await this.#options.common.recycle()
    const before = this.#catalog
    this.#catalog = loaded.catalog
    for (const [kind, lane] of this.#lanes) {
      if (lane !== null && isSameLane(settingsIn(before, kind), this.#settings(kind))) lane.renew()
      else this.#endLane(kind, lane)
    }
    this.#startAhead()
    return loaded
  }

  idleCount(): number {
    let idle = this.#options.common.idleCount()
    for (const lane of this.#openLanes()) idle -= lane.busyCount
    return Math.max(idle, 0)
  }

  threadCount(): number {
    return this.#sum((pool) => pool.threadCount())
  }

  condemnedCount(): number {
    return this.#sum((pool) => pool.condemnedCount())
  }

  start(assignment: Omit<Assignment, 'run'>, listener: RunListener): Run {
    if (this.idleCount() === 0) throw new Error('No thread is idle: ask idleCount first.')
    return (this.#laneOf(assignment.kind) ?? this.#options.common).start(assignment, listener)
  }

  async close(options: CloseOptions = {}): Promise<void> {
    this.#closed = true
    const lanes = [...this.#openLanes()].map((lane) => lane.close(options))
    await Promise.all([this.#options.common.close(options), ...lanes])
  }

  #laneOf(kind: string): Lane | null {
    const known = this.#lanes.get(kind)
    if (known !== undefined) return known
    const { clock, threads, laneIdleMs = 60_000, laneOf } = this.#options
    const settings = this.#settings(kind)
    const pool = settings === undefined || this.#closed ? null : laneOf(settings)
    let lane: Lane | null = null
    if (pool !== null) {
      this.#pools.add(pool)
      const threadsKept = settings?.isolation === 'process' ? 1 : 0
      lane = new Lane({ pool, clock, threadsMax: threads, threadsKept, idleMs: laneIdleMs }, this.#ear)
    }
    this.#lanes.set(kind, lane)
    return lane
  }

  /** Child processes are started ahead: they take longer to load than a thread. */
  #startAhead(): void {
    for (const [kind, { isolation }] of Object.entries(this.#catalog)) if (isolation === 'process') this.#laneOf(kind)
  }

  #endLane(kind: string, lane: Lane | null): void {
    this.#lanes.delete(kind)
    if (lane === null) return
    this.#ending.add(lane)
    void lane.end().then(() => {
      this.#ending.delete(lane)
      this.#pools.delete(lane.pool)
    })
  }

  #settings(kind: string): KindSettings | undefined {
    return settingsIn(this.#catalog, kind)
  }

  *#openLanes(): Iterable<Lane> {
    yield* this.#ending
    for (const lane of this.#lanes.values()) if (lane !== null) yield lane
  }

  /** Past the cap a condemned thread is not replaced: there is one common thread less, until it has exited. */
  #condemnedChanged(): void {
    const { threads, condemnedMax, common, clock } = this.#options
    const condemned = this.condemnedCount()
    const excess = Math.max(condemned - condemnedMax, 0)
    common.resize(Math.max(threads - excess, 0))
    // In its own turn: this may have come out of a call of the one who is told.
    clock.nextTurn(() => this.#listener?.condemnedChanged(condemned, excess > 0))
  }

  #sum(count: (pool: WorkerPool) => number): number {
    let sum = 0
    for (const pool of this.#pools) sum += count(pool)
    return sum
  }
}

function settingsIn(catalog: KindCatalog, kind: string): KindSettings | undefined {
  return Object.hasOwn(catalog, kind) ? catalog[kind] : undefined
}

/** Whether the threads of a kind are made in the same way. */
function isSameLane(a: KindSettings | undefined, b: KindSettings | undefined): boolean {
  return isDeepStrictEqual([a?.isolation, a?.memory], [b?.isolation, b?.memory])
}
