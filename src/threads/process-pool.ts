/** The pool of child processes, for handlers that must not take the process down or that hang in native code. */
import { ChildCarrier } from './child-carrier.ts'
import { encodeError } from './error-codec.ts'
import { WorkerPool } from './worker-pool.ts'
import type { WorkerPoolOptions } from './worker-pool-options.ts'

/** What a pool of child processes is made of. */
export interface ProcessPoolOptions extends WorkerPoolOptions {
  /** The JavaScript heap of a child, in MiB; default Node's own. A child that fills it is ended by SIGABRT. */
  readonly heapMb?: number
  /** The resident memory at which a child is killed, in MiB; default no bound. Sampled; Linux only. */
  readonly rssMb?: number
}

/**
 * Child processes by Node's `fork`, in Electron too (which needs its `runAsNode` fuse): Electron's `utilityProcess` exists on
 * the app's thread only, and this pool lives on the supervisor's.
 */
export class ProcessPool extends WorkerPool {
  constructor(options: ProcessPoolOptions) {
    const { clock, heapMb, rssMb, env } = options
    const child = { now: () => clock.mono(), ...(heapMb !== undefined && { heapMb }), ...(env !== undefined && { env }) }
    super(options, {
      source: () => ({ open: () => new ChildCarrier(child) }),
      deathOf: encodeError,
      memoryLimit:
        rssMb === undefined
          ? null
          : {
              bytes: rssMb * 1024 * 1024,
              looks: 1,
              complaint: `its child process grew past the ${rssMb} MB of memory.rssMb`,
            },
    })
  }
}
