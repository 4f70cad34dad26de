/** The pool of threads of this process. */
import type { MemoryLimit } from './memory-watch.ts'
import { PiscinaThreads } from './piscina-threads.ts'
import { deathOf, type ResourceLimits } from './resource-limits.ts'
import { WorkerPool } from './worker-pool.ts'
import type { WorkerPoolOptions } from './worker-pool-options.ts'

/** What a pool of threads is made of. */
export interface PoolOptions extends WorkerPoolOptions {
  readonly resourceLimits?: ResourceLimits
  /** How many MiB of buffers a thread may keep outside its JavaScript heap; default no bound. Sampled. */
  readonly maxExternalMb?: number
}

/** Worker threads, opened by piscina. */
export class PiscinaPool extends WorkerPool {
  constructor(options: PoolOptions) {
    super(options, {
      source: (failed) => new PiscinaThreads(options, failed),
      deathOf: (error) => deathOf(error, options.resourceLimits),
      memoryLimit: options.maxExternalMb === undefined ? null : externalLimit(options.maxExternalMb),
    })
  }
}

function externalLimit(megabytes: number): MemoryLimit {
  return {
    bytes: megabytes * 1024 * 1024,
    looks: 2,
    complaint: `its buffers grew past the ${megabytes} MB of memory.maxExternalMb`,
  }
}
