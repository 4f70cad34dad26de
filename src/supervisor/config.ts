/** What the client hands a supervisor thread at its start: plain data, with every default filled in. */
import type { MessagePort } from 'node:worker_threads'
import type { JobEvent } from '../job/job-events.ts'
import type { JobLogLimits } from '../job/job-log.ts'
import type { Capacity, LimitSettings } from '../job/limits.ts'
import type { DepthBound } from '../job/queue-depth-bound.ts'
import type { RetentionBound } from '../job/retention.ts'
import type { LogLevel } from '../log-level.ts'
import type { EventLogLimits } from '../persistence/event-log.ts'
import type { Durability } from '../persistence/store.ts'

/** The settings of one runtime. */
export interface SupervisorConfig {
  readonly databasePath: string
  readonly durability: Durability
  /** `file:` URL of the jobs module; null where `threads` is 0 and none was given. */
  readonly jobsUrl: string | null
  /** Whether the jobs are loaded anew when their files change. */
  readonly watch: boolean
  /** 0 runs nothing. */
  readonly threads: number
  readonly queues: readonly string[] | null
  readonly queueLimits: Readonly<Record<string, LimitSettings>>
  readonly resources: Readonly<Record<string, Capacity>>
  /** How many jobs of a queue may be ready, for the queues that have a bound. */
  readonly queueDepths: Readonly<Record<string, DepthBound>>
  readonly leaseDurationMs: number
  /** How long events are kept for waits that come later. */
  readonly eventKeepMs: number
  readonly killWaitMs: number
  readonly condemnedMax: number
  readonly onCondemned: 'wait' | 'exit'
  /** How long a thread may take to show its stack; 0 for never asking. */
  readonly inspectMs: number
  readonly watchdogMs: number
  readonly crashesMax: number
  readonly loadTimeoutMs: number
  readonly timeoutMs: number
  readonly timeoutGraceMs: number
  readonly stopGraceMs: number
  readonly attemptsMax: number
  readonly payloadBytesMax: number
  /** Of the worker threads: 0 to 19, on Linux. */
  readonly niceness: number
  /** Which jobs that are over need not be kept; none keeps all. */
  readonly retention: readonly RetentionBound[]
  readonly logLevel: LogLevel | 'silent'
  /** Which log lines of handlers are kept; null for none. */
  readonly jobLogs: JobLogLimits | null
  /** What is kept of the stream of events; null turns it off, undefined leaves it as it is. */
  readonly eventLog: EventLogLimits | null | undefined
  /** Limits of each worker thread's JavaScript heap, in MiB; null for Node's own. */
  readonly heapMb: number | null
  /** And of what it keeps outside that heap. */
  readonly maxExternalMb: number | null
}

/** What a supervisor thread gets as its `workerData`. */
export interface SupervisorStart {
  readonly config: SupervisorConfig
  /** The hot path: enqueues in, ends and events out, as plain messages. */
  readonly port: MessagePort
  /** Everything else, by comlink. */
  readonly callPort: MessagePort
  /** The supervisor's loop stamps it again and again; the client's watchdog reads it. */
  readonly pulse: SharedArrayBuffer
  /** The events that somebody listens to already: after a restart, jobs may run before the first message is heard. */
  readonly listened: readonly JobEvent['type'][]
}
