/** What the pool of workers is made of, whatever carries them. */
import type { Clock } from '../clock.ts'
import type { ErrorRecord } from '../job/error-record.ts'
import type { CarrierSource } from './carrier.ts'
import type { ChildRegister } from './child-register.ts'
import type { MemoryLimit } from './memory-watch.ts'

/** What every pool is made of. */
export interface WorkerPoolOptions {
  /** How many threads, from 0; more can be asked for later. Condemned ones are not counted. */
  readonly threads: number
  /** `file:` URL of the jobs module, or of the folder of job files. */
  readonly jobsUrl: string
  readonly clock: Clock
  /** How long a thread may take to start and to load the jobs module, or each file of a folder; bounded from outside, since a module can spin. */
  readonly loadTimeoutMs: number
  /** The cap on one result. */
  readonly payloadBytesMax: number
  /** How far the threads give way to others: 0 (not at all) to 19, on Linux. */
  readonly niceness: number
  /** Log records below this pino level number are not sent; `Infinity` sends none. */
  readonly logLevel: number
  /** The environment variables of the threads; default a copy of the process's own. */
  readonly env?: NodeJS.ProcessEnv
  /** Files of a folder of jobs that took a worker down, by path, with the reason; pools that share it learn from each other. */
  readonly leftOut?: Map<string, ErrorRecord>
  /** Where the processes that handlers start are recorded; default nowhere. */
  readonly children?: ChildRegister
}

/** How the carriers of a pool are made and understood. */
export interface CarrierKind {
  source(failed: (error: unknown) => void): CarrierSource
  /** What an `error` of a carrier was, in words that help. */
  deathOf(error: unknown): ErrorRecord
  readonly memoryLimit: MemoryLimit | null
}
