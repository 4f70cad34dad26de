/** The one place that names the real thread pool. A runtime without threads gets one that has none. */
import type { Clock } from '../clock.ts'
import type { LoadedJobs } from '../job/loaded-jobs.ts'
import type { ChildRegister } from '../threads/child-register.ts'
import { openLanes } from '../threads/open-lanes.ts'
import type { ThreadPool } from '../threads/thread-pool.ts'
import type { SupervisorConfig } from './config.ts'
import { workerLogLevel } from './logging.ts'

/** Makes the pool that a configuration asks for. Threads start when it is opened. */
export function openPool(config: SupervisorConfig, clock: Clock, children: ChildRegister): ThreadPool {
  const { jobsUrl, threads, loadTimeoutMs, payloadBytesMax, heapMb, maxExternalMb } = config
  if (threads === 0 || jobsUrl === null) return emptyPool
  return openLanes({
    threads,
    condemnedMax: config.condemnedMax,
    jobsUrl,
    clock,
    children,
    loadTimeoutMs,
    payloadBytesMax,
    niceness: config.niceness,
    logLevel: workerLogLevel(config.logLevel, config.jobLogs),
    ...(heapMb !== null && { heapMb }),
    ...(maxExternalMb !== null && { maxExternalMb }),
  })
}

const noJobs: LoadedJobs = { catalog: {}, prints: {}, failed: [] }

/** Runs nothing: for a runtime that only enqueues, waits and steers. */
const emptyPool: ThreadPool = {
  open: async () => noJobs,
  recycle: async () => noJobs,
  idleCount: () => 0,
  threadCount: () => 0,
  condemnedCount: () => 0,
  start: () => {
    throw new Error('A pool without threads was asked to run a job.')
  },
  close: async () => undefined,
}
