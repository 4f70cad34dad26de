/** The pool of a runtime, made of its options: common threads by piscina, and lanes of threads or child processes by kind. */
import type { KindSettings } from '../job/kind.ts'
import { LanePool } from './lane-pool.ts'
import { PiscinaPool, type PoolOptions } from './piscina-pool.ts'
import { ProcessPool } from './process-pool.ts'
import { type ResourceLimits, youngGenerationMb } from './resource-limits.ts'
import type { WorkerPool } from './worker-pool.ts'

/** What the pool of a runtime is made of. Limits hold for the common threads, and for lanes that do not say otherwise. */
export interface LanesOptions extends Omit<PoolOptions, 'resourceLimits'> {
  readonly heapMb?: number
  /** How many condemned threads are replaced. */
  readonly condemnedMax: number
  /** After how long without a run a lane's threads are closed; default a minute. */
  readonly laneIdleMs?: number
}

/** Makes the pool; nothing runs until it is opened. */
export function openLanes(options: LanesOptions): LanePool {
  const { threads, condemnedMax, clock, laneIdleMs, ...rest } = options
  const all = { leftOut: new Map(), ...rest }
  return new LanePool({
    threads,
    condemnedMax,
    clock,
    common: threadsOf({ ...all, threads, clock }, {}),
    laneOf: (settings) => laneOf({ ...all, threads: 0, clock }, settings),
    ...(laneIdleMs !== undefined && { laneIdleMs }),
  })
}

type AllOptions = Omit<LanesOptions, 'condemnedMax' | 'laneIdleMs'>

function laneOf(options: AllOptions, { isolation, memory }: KindSettings): WorkerPool | null {
  if (isolation === 'process') return new ProcessPool({ ...options, ...memory })
  return memory === undefined || Object.keys(memory).length === 0 ? null : threadsOf(options, memory)
}

function threadsOf({ heapMb: heapMbOfAll, ...options }: AllOptions, memory: NonNullable<KindSettings['memory']>): WorkerPool {
  const { heapMb = heapMbOfAll, stackMb, maxExternalMb } = memory
  const resourceLimits: ResourceLimits = {
    maxYoungGenerationSizeMb: youngGenerationMb,
    ...(heapMb !== undefined && { maxOldGenerationSizeMb: heapMb }),
    ...(stackMb !== undefined && { stackSizeMb: stackMb }),
  }
  return new PiscinaPool({
    ...options,
    resourceLimits,
    ...(maxExternalMb !== undefined && { maxExternalMb }),
  })
}
