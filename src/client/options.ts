/** The options of `createRuntime`, and their checked form with every default filled in. */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Duration, durationMs } from '../duration.ts'
import { optionInvalid } from '../errors.ts'
import { isJobs, type Jobs } from '../job/definition.ts'
import type { JobLogOptions } from '../job/job-log.ts'
import { type KnownOptions, refuseUnknownOptions } from '../job/known-options.ts'
import { payloadBytesMaxDefault } from '../job/payload.ts'
import { type RetentionRule, retentionBounds } from '../job/retention.ts'
import { attemptsMaxDefault } from '../job/retry-policy.ts'
import type { Durability } from '../persistence/store.ts'
import type { SupervisorConfig } from '../supervisor/config.ts'
import { type QueueLimitOptions, queueDepthsOf, queueLimitsOf, type ResourceCapacity, resourcesOf } from './limit-options.ts'
import { isLogger, levelOf, type RuntimeLogger } from './log-relay.ts'
import { type EventLogOptions, eventLogOf, jobLogsOf } from './looking-in-options.ts'
import { atLeast, oneOf, wholeNumber } from './option-values.ts'

const threadsMax = 512
const memoryMbMax = 1_048_576
const crashesMaxDefault = 3
const inspectMsDefault = 100
/** Enough for the app's thread to go first, and not so much that jobs stand still beside another busy program. */
const nicenessLow = 10
const payloadBytesLimit = 512 * 1024 * 1024

/** What `createRuntime` takes. */
export interface RuntimeOptions<J extends Jobs = Jobs> {
  /** The SQLite file: a path (relative to the working directory) or a `file:` URL. Made if it is not there; its folder must be. */
  readonly database: string | URL
  /**
   * The module whose default export is `defineJobs(…)`, or a folder of job files, each one kind: a `file:` URL or a path. Loaded
   * on worker threads only. May be left out where `threads` is 0.
   */
  readonly jobs?: string | URL
  /**
   * Whether the jobs are loaded anew, as by `reload()`, when a file of code changes in the folder of the jobs (or of the jobs
   * module) or below it; default false. `node_modules` is not watched. Without threads there is nothing to watch.
   */
  readonly watch?: boolean
  /**
   * The jobs object itself, where the app's thread may load it. Then inputs are also checked at `enqueue`: the
   * kinds' schemas run in the app's thread.
   */
  readonly definitions?: J
  /** How many worker threads run handlers, 0 to 512; default: one a CPU. 0 enqueues, waits and steers, but runs nothing. */
  readonly threads?: number
  /** `'power'` (default): an acknowledged job survives a power loss. `'process'`: it survives a crash of the process, and enqueues are faster. */
  readonly durability?: Durability
  /** Which queues to run; default all. */
  readonly queues?: readonly string[]
  /**
   * Limits of queues, by name. Of several runtimes on one file the one that started last says what holds for the queues that it
   * runs, so give the same to all.
   */
  readonly queueLimits?: Readonly<Record<string, QueueLimitOptions>>
  /** The capacities of the resources that kinds name, such as `{ gpu: 1 }`: how many of their jobs run at once, all kinds together. */
  readonly resources?: Readonly<Record<string, ResourceCapacity>>
  /** How long a lease lasts without being renewed; default 30 s, at least 1 s. */
  readonly leaseDuration?: Duration
  /** How long an event (`runtime.emit`) is kept for waits that come later; default a day. The latest 100,000 are kept at most. */
  readonly eventKeep?: Duration
  /** How long a handler may run where neither its kind nor the enqueue says; default 15 minutes; `Infinity` for no bound. */
  readonly timeout?: Duration
  /** How long after the signal of a cancel or a drain a thread is ended, unless the kind says; default 5 s. */
  readonly stopGrace?: Duration
  /**
   * How long a thread may take to exit after it was told to terminate, before it is condemned (native code can hold it
   * for ever): another thread then takes its place, and its job stays `running` until it exits; default 5 s.
   */
  readonly killWait?: Duration
  /** How many condemned threads are replaced; past it nothing is claimed until one of them exits. Default: as many as `threads`. */
  readonly condemnedMax?: number
  /**
   * What to do past `condemnedMax`: wait for one to exit (`'wait'`, default), or close the database and end the process with
   * SIGKILL (`'exit'`), for a service manager to start it again.
   */
  readonly onCondemned?: 'wait' | 'exit'
  /**
   * Whether the stack of a handler is read before it is ended for its timeout, so that the error says where it hung, and how
   * long its thread may take to answer; default true, which is 100 ms. Never while a debugger is attached.
   */
  readonly inspectHangs?: boolean | Duration
  /** How long the supervisor thread may be deaf before it is taken for hung and started again; default 10 s, at least 1 s. */
  readonly watchdog?: Duration
  /** How often a process may die while it holds nothing but one job, before that job is discarded; default 3. */
  readonly crashesMax?: number
  /** How long the jobs module, or each file of a folder, may take to load on a thread; default 10 s. */
  readonly loadTimeout?: Duration
  /** In MiB: the JavaScript heap that each worker thread may have, and the buffers, which no heap limit counts. A kind may say otherwise. */
  readonly memory?: { readonly heapMb?: number; readonly maxExternalMb?: number }
  /**
   * `'low'` (default): threads that run handlers give way to the app's thread, so that it stays responsive while every core
   * works on jobs (on Linux, where threads have a niceness of their own; elsewhere it changes nothing). `'normal'`: they do not.
   */
  readonly threadPriority?: 'low' | 'normal'
  /** The largest input or result in bytes; default 16 MiB. */
  readonly payloadBytesMax?: number
  /** Which lines of `ctx.log` are kept in the database, for `runtime.logs`; default the last 200 of a job, from `'info'` on. `false`: none. */
  readonly jobLogs?: false | JobLogOptions
  /**
   * Writes everything that happens to a job into a durable stream, for `runtime.events`: `true`, or how much of it is kept. All processes
   * on the file write it from then on, until one is opened with `false`. Default: left as it is, off in a new file: each job costs
   * three more rows.
   */
  readonly eventLog?: boolean | EventLogOptions
  /**
   * How long jobs are kept once they are over: rules, of which the first that matches a job decides. Where none does, a week; a month for
   * dead letters. `false` keeps all for ever. Of several runtimes on one file the strictest wins.
   */
  readonly retention?: readonly RetentionRule[] | false
  /** A pino logger (or one that works like it). Default: none; Reeve is silent. */
  readonly logger?: RuntimeLogger
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted.
 */
export function configOf(options: RuntimeOptions): SupervisorConfig {
  if (typeof options !== 'object' || options === null)
    throw optionInvalid('options', options, 'an object with at least `database` and `jobs`')
  refuseUnknownOptions(options, known)
  checkObjects(options)
  const threads = wholeNumber(options.threads ?? availableParallelism(), 'threads', 0, threadsMax)
  return {
    databasePath: pathOf(options.database, 'database'),
    durability: oneOf(options.durability ?? 'power', 'durability', ['power', 'process']),
    jobsUrl: jobsUrlOf(options.jobs, threads),
    watch: yesOrNo(options.watch ?? false, 'watch') && threads > 0,
    threads,
    queues: queuesOf(options.queues),
    queueLimits: queueLimitsOf(options.queueLimits),
    queueDepths: queueDepthsOf(options.queueLimits),
    resources: resourcesOf(options.resources),
    eventKeepMs: durationMs(options.eventKeep ?? '1d', 'eventKeep'),
    leaseDurationMs: atLeast(options.leaseDuration ?? '30s', 'leaseDuration', 1_000),
    timeoutMs: atLeast(options.timeout ?? '15m', 'timeout', 1, true),
    timeoutGraceMs: 0,
    stopGraceMs: durationMs(options.stopGrace ?? '5s', 'stopGrace'),
    killWaitMs: atLeast(options.killWait ?? '5s', 'killWait', 1),
    condemnedMax: wholeNumber(options.condemnedMax ?? threads, 'condemnedMax', 0, threadsMax),
    onCondemned: oneOf(options.onCondemned ?? 'wait', 'onCondemned', ['wait', 'exit']),
    inspectMs: inspectMsOf(options.inspectHangs ?? true),
    watchdogMs: atLeast(options.watchdog ?? '10s', 'watchdog', 1_000),
    crashesMax: wholeNumber(options.crashesMax ?? crashesMaxDefault, 'crashesMax', 1, 1_000),
    loadTimeoutMs: atLeast(options.loadTimeout ?? '10s', 'loadTimeout', 1),
    attemptsMax: attemptsMaxDefault,
    payloadBytesMax: wholeNumber(options.payloadBytesMax ?? payloadBytesMaxDefault, 'payloadBytesMax', 1, payloadBytesLimit),
    niceness: oneOf(options.threadPriority ?? 'low', 'threadPriority', ['low', 'normal']) === 'low' ? nicenessLow : 0,
    ...memoryOf(options.memory),
    retention: retentionBounds(options.retention),
    logLevel: levelOf(options.logger),
    jobLogs: jobLogsOf(options.jobLogs),
    eventLog: eventLogOf(options.eventLog),
  }
}

const known: KnownOptions<RuntimeOptions> = {
  database: true,
  jobs: true,
  watch: true,
  definitions: true,
  threads: true,
  durability: true,
  queues: true,
  queueLimits: true,
  resources: true,
  leaseDuration: true,
  eventKeep: true,
  timeout: true,
  stopGrace: true,
  killWait: true,
  condemnedMax: true,
  onCondemned: true,
  inspectHangs: true,
  watchdog: true,
  crashesMax: true,
  loadTimeout: true,
  memory: true,
  payloadBytesMax: true,
  threadPriority: true,
  jobLogs: true,
  eventLog: true,
  retention: true,
  logger: true,
}

/** What is used long after the start must be refused at the start. */
function checkObjects({ logger, definitions }: RuntimeOptions): void {
  if (logger !== undefined && !isLogger(logger))
    throw optionInvalid('logger', logger, 'a pino logger, or an object with its methods')
  if (definitions !== undefined && !isJobs(definitions))
    throw optionInvalid('definitions', definitions, 'what defineJobs returns')
}

function memoryOf(memory: unknown): Pick<SupervisorConfig, 'heapMb' | 'maxExternalMb'> {
  if (memory === undefined) return { heapMb: null, maxExternalMb: null }
  if (typeof memory !== 'object' || memory === null)
    throw optionInvalid('memory', memory, 'an object with heapMb or maxExternalMb')
  refuseUnknownOptions<{ heapMb: number; maxExternalMb: number }>(memory, { heapMb: true, maxExternalMb: true }, 'memory.')
  const { heapMb, maxExternalMb } = memory as { readonly heapMb?: unknown; readonly maxExternalMb?: unknown }
  return {
    heapMb: heapMb === undefined ? null : wholeNumber(heapMb, 'memory.heapMb', 8, memoryMbMax),
    maxExternalMb: maxExternalMb === undefined ? null : wholeNumber(maxExternalMb, 'memory.maxExternalMb', 1, memoryMbMax),
  }
}

function pathOf(value: unknown, option: string): string {
  if (value instanceof URL && value.protocol === 'file:') return fileURLToPath(value)
  if (typeof value === 'string' && value !== '' && !value.startsWith(':'))
    return value.startsWith('file:') ? fileURLToPath(value) : resolve(value)
  throw optionInvalid(
    option,
    value instanceof URL ? value.href : value,
    'a path of a file, or a file: URL (a database in memory cannot be shared by threads)',
  )
}

function jobsUrlOf(value: unknown, threads: number): string | null {
  if (value !== undefined) return pathToFileURL(pathOf(value, 'jobs')).href
  if (threads === 0) return null
  throw optionInvalid(
    'jobs',
    value,
    'a file: URL or a path of the module that exports defineJobs(…) or of a folder of job files, such as new URL("./jobs.js", import.meta.url)',
  )
}

function yesOrNo(value: unknown, option: string): boolean {
  if (typeof value === 'boolean') return value
  throw optionInvalid(option, value, 'true or false')
}

function inspectMsOf(value: unknown): number {
  if (typeof value === 'boolean') return value ? inspectMsDefault : 0
  return durationMs(value, 'inspectHangs')
}

function queuesOf(value: unknown): readonly string[] | null {
  if (value === undefined) return null
  if (Array.isArray(value) && value.length > 0 && value.every((queue) => typeof queue === 'string' && queue !== '')) return value
  throw optionInvalid('queues', value, 'a list of at least one name of a queue')
}
