/**
 * How users write their kinds of jobs: `export default defineJobs({ kind: job({ … }) })`. The module runs on worker
 * threads only; the app imports its type. Marks are registered symbols, so that two copies of the package agree.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type Duration, durationMs } from '../duration.ts'
import { optionInvalid, ReeveError } from '../errors.ts'
import { type BreakerOptions, breakerSettings } from './breaker.ts'
import type { JobContext, JobRun } from './context.ts'
import { checkEnvironmentSchema, type EnvironmentOf } from './environment.ts'
import type { KindSettings } from './kind.ts'
import { checkKindDatabase, type DatabaseOf, type KindDatabaseOptions } from './kind-database.ts'
import { type Concurrency, kindLimits, type RateLimit } from './limits.ts'
import { checkIsolation, checkMemory, type Isolation, type KindMemory } from './memory.ts'
import { budgetOf } from './schedule/budget.ts'
import { type AnySchedules, type KindSchedules, kindSchedules, refuseSameNames } from './schedule/declaration.ts'
import { type KindRetryOptions, kindRetrySettings } from './schedule/kind-retry-options.ts'
import { checkResource, type ResourceOptions, resourceOf, type WorkerResource } from './worker-resource.ts'

const jobMark: unique symbol = Symbol.for('reeve.job') as never
const jobsMark: unique symbol = Symbol.for('reeve.jobs') as never

const kindLengthMax = 200

/** The options of one kind. */
export interface JobOptions {
  /** How long the handler may run before its thread is terminated; `Infinity` for no bound. */
  readonly timeout?: Duration
  /** How long the handler may still run after the timeout's signal; default 0. */
  readonly timeoutGrace?: Duration
  /** How long the handler may still run after the signal of a cancel or a drain; default 5 s. */
  readonly stopGrace?: Duration
  readonly retry?: KindRetryOptions
  /** When its jobs are made, and with which input; stored at the start of a runtime. */
  readonly schedule?: AnySchedules
  /**
   * How long a handler should take up work: `ctx.run.deadline` says when that ends, at the next tick of its schedule at the
   * latest, and `ctx.signal` then aborts. It is not ended for it: that is what `timeout` is for. Default: no bound.
   */
  readonly budget?: Duration | 'next-tick'
  /**
   * Whether a tick of a schedule is not worth a run. Called on the worker, at each attempt before the handler; where it says so the job
   * is `cancelled` and the tick on record as skipped. Where it throws, the attempt has failed. Not asked of a job that was
   * enqueued, or triggered by hand.
   */
  readonly shouldSkip?: (run: JobRun) => boolean | Promise<boolean>
  /** Holds the kind back, over all processes on the file, while its attempts do nothing but fail. Default: none. */
  readonly breaker?: BreakerOptions
  /**
   * `'process'` runs the handler in a child process, which is killed with all that it started, whatever it does: native
   * hangs, segfaults and `process.abort()` cost one attempt. Started ahead and reused. A start costs about twice a
   * thread's, a short job two to three times; `ctx.stopRequested` changes only while the event loop turns. Default `'thread'`.
   */
  readonly isolation?: Isolation
  /** How many of its jobs run at once: over all processes on the file, or with `reach: 'local'` in this runtime. Default any number. */
  readonly concurrency?: Concurrency
  /** How many jobs of one group run at once, over all processes; 1 runs a group's jobs one after another. Default any number. */
  readonly groupConcurrency?: number
  /** How many of its jobs may begin in a time, over all processes: `{ limit: 10, per: '1s' }`. Default any number. */
  readonly rateLimit?: RateLimit
  /** The same for each group. */
  readonly groupRateLimit?: RateLimit
  /** What each of its running jobs takes one of, such as `'gpu'`: shared with the other kinds that name it, and declared as `resources` of the runtime. */
  readonly resource?: string
  /**
   * Names of locks (those of `ctx.lock`): a job is claimed with all of them or not at all, and holds them until its attempt is over. A
   * tick of a schedule with `overlap: 'skip'` is skipped while one is held.
   */
  readonly exclusive?: readonly string[]
  /** Limits of the kind's threads or child processes; with any of them the kind has its own, opened when it first runs. */
  readonly memory?: KindMemory
  /**
   * A Standard Schema over `process.env`, checked when a worker starts: the handlers have what it makes of it as `ctx.env`. Where
   * variables are wrong the runtime tells which, and jobs of the kind are put back uncharged. A worker has the variables of its start.
   */
  readonly env?: StandardSchemaV1
  /** A database for the kind's own tables, in a file of its own, opened on each worker before its first job: `ctx.sqlite`. */
  readonly sqlite?: KindDatabaseOptions
}

/** One kind, whatever its input and result are. */
export interface AnyJobDefinition {
  readonly [jobMark]: true
  readonly options: JobOptions
  /** Checks (and may change) each input on the worker thread, before the handler sees it. */
  readonly schema: StandardSchemaV1 | undefined
  /** What the kind's `setup` makes once a worker. */
  readonly resource?: WorkerResource | undefined
  readonly run: (input: never, ctx: JobContext<never, never, never>) => unknown
}

/** One kind: its handler and its options. Made by {@link job}. The field `~types` exists for inference only. */
export interface JobDefinition<Input, Result> extends AnyJobDefinition {
  readonly '~types'?: { readonly input: Input; readonly result: Result }
}

/** All kinds of an app by name. Made by {@link defineJobs}. */
export interface Jobs<Kinds extends Readonly<Record<string, AnyJobDefinition>> = Readonly<Record<string, AnyJobDefinition>>> {
  readonly [jobsMark]: true
  readonly kinds: Kinds
}

/** The names of the kinds of a jobs module: `KindOf<typeof jobs>`. */
export type KindOf<J extends Jobs> = keyof J['kinds'] & string

/** What an enqueue of this kind takes: the schema's input, else the handler's own parameter. */
export type InputOf<J extends Jobs, K extends KindOf<J>> =
  J['kinds'][K] extends JobDefinition<infer Input, unknown> ? Input : never

/** What the handler of this kind returns, once awaited. */
export type ResultOf<J extends Jobs, K extends KindOf<J>> =
  J['kinds'][K] extends JobDefinition<unknown, infer Result> ? Result : never

/** The parameters that follow the kind at an enqueue: an input that may be undefined may be left out. */
export type EnqueueArguments<J extends Jobs, K extends KindOf<J>, Options> =
  undefined extends InputOf<J, K> ? [input?: InputOf<J, K>, options?: Options] : [input: InputOf<J, K>, options?: Options]

/** What a kind declares that its handlers then have in their context. `never` stands for what it does not declare. */
interface Declared<Resource, Env extends StandardSchemaV1, File extends string | URL>
  extends JobOptions,
    ResourceOptions<Resource> {
  readonly env?: Env
  readonly sqlite?: KindDatabaseOptions<File>
}

type ContextOf<Resource, Env, File> = JobContext<Awaited<Resource>, EnvironmentOf<Env>, DatabaseOf<File>>

/** A kind with a schema: the handler gets what the schema gives out, an enqueue takes what it takes in. */
export interface SchemaJob<
  Schema extends StandardSchemaV1,
  Result,
  Resource = undefined,
  Env extends StandardSchemaV1 = never,
  File extends string | URL = never,
> extends Declared<Resource, Env, File> {
  /** Any validator of the Standard Schema form (zod, valibot, arktype, …). Runs on the worker thread. */
  readonly input: Schema
  readonly schedule?: KindSchedules<StandardSchemaV1.InferInput<Schema>>
  run(input: StandardSchemaV1.InferOutput<Schema>, ctx: ContextOf<Resource, Env, File>): Result
}

/** A kind without a schema: inputs are taken as they come. */
export interface PlainJob<
  Input,
  Result,
  Resource = undefined,
  Env extends StandardSchemaV1 = never,
  File extends string | URL = never,
> extends Declared<Resource, Env, File> {
  readonly input?: undefined
  readonly schedule?: KindSchedules<Input>
  run(input: Input, ctx: ContextOf<Resource, Env, File>): Result
}

/**
 * Describes one kind. Its options are checked by {@link defineJobs}, which knows its name.
 *
 * @example
 * ```ts
 * const resize = job({ timeout: '30s', run: (input: { file: string }, ctx) => input.file.length })
 * ```
 */
export function job<
  const Schema extends StandardSchemaV1,
  Result,
  Resource = undefined,
  Env extends StandardSchemaV1 = never,
  File extends string | URL = never,
>(definition: SchemaJob<Schema, Result, Resource, Env, File>): JobDefinition<StandardSchemaV1.InferInput<Schema>, Awaited<Result>>
export function job<
  Input = void,
  Result = unknown,
  Resource = undefined,
  Env extends StandardSchemaV1 = never,
  File extends string | URL = never,
>(definition: PlainJob<Input, Result, Resource, Env, File>): JobDefinition<Input, Awaited<Result>>
export function job(
  definition: JobOptions &
    ResourceOptions<never> & {
      input?: StandardSchemaV1 | undefined
      run(input: never, ctx: JobContext<never, never, never>): unknown
    },
): AnyJobDefinition {
  const { input: schema, run, setup, teardown, ...options } = definition
  // The handler keeps its `this`: a method of the definition may read the definition's own fields.
  const bound = typeof run === 'function' ? run.bind(definition) : run
  return { [jobMark]: true, options, schema, resource: resourceOf(definition), run: bound }
}

/**
 * Collects the kinds of an app; the default export of the jobs module.
 *
 * @throws ReeveError `REEVE_JOBS_INVALID` that names the kind where one was not made by {@link job} or has no `run`.
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the kind and the option.
 * @example
 * ```ts
 * export default defineJobs({ hello: job({ run: (name: string) => `Hello ${name}` }) })
 * ```
 */
export function defineJobs<const Kinds extends Readonly<Record<string, AnyJobDefinition>>>(kinds: Kinds): Jobs<Kinds> {
  if (typeof kinds !== 'object' || kinds === null)
    throw new ReeveError(
      'REEVE_JOBS_INVALID',
      'defineJobs takes an object of kinds: defineJobs({ resize: job({ run(input, ctx) { … } }) }).',
    )
  const settings = Object.entries(kinds).map(([kind, definition]) => {
    checkKind(kind, definition)
    return kindSettings(definition, kind)
  })
  refuseSameNames(settings.flatMap(({ schedules }) => schedules ?? []))
  return { [jobsMark]: true, kinds }
}

/** Whether a value is what {@link job} returns, of this copy of the package or of another one. */
export function isJob(value: unknown): value is AnyJobDefinition {
  return typeof value === 'object' && value !== null && jobMark in value
}

/** Whether a value is what {@link defineJobs} returns, of this copy of the package or of another one. */
export function isJobs(value: unknown): value is Jobs {
  return typeof value === 'object' && value !== null && jobsMark in value
}

/**
 * Checks one entry of a jobs module; the loader repeats it, because another copy of the package may have made it.
 *
 * @throws ReeveError `REEVE_JOBS_INVALID` that names the kind and says what to write.
 */
export function checkKind(kind: string, definition: unknown): asserts definition is AnyJobDefinition {
  const write = `write ${kind}: job({ run(input, ctx) { … } }).`
  if (kind === '' || kind.length > kindLengthMax)
    throw new ReeveError(
      'REEVE_JOBS_INVALID',
      `The name of a kind has 1 to ${kindLengthMax} characters; '${kind.slice(0, 40)}' has ${kind.length}.`,
    )
  if (!isJob(definition)) throw new ReeveError('REEVE_JOBS_INVALID', `Kind '${kind}' was not made by job(): ${write}`, { kind })
  const { run, schema, resource } = definition as Partial<AnyJobDefinition>
  if (typeof run !== 'function')
    throw new ReeveError('REEVE_JOBS_INVALID', `Kind '${kind}' has no run function: ${write}`, { kind })
  if (schema !== undefined && typeof schema?.['~standard']?.validate !== 'function') {
    throw new ReeveError(
      'REEVE_JOBS_INVALID',
      `The input of kind '${kind}' is no Standard Schema: pass a schema of zod, valibot, arktype or the like, or leave it out.`,
      { kind },
    )
  }
  checkResource(resource, kind)
}

/**
 * The options of a kind as plain data, in milliseconds; absent ones are left out.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the kind and the option.
 */
export function kindSettings(definition: AnyJobDefinition, kind = 'job'): KindSettings {
  const {
    timeout,
    timeoutGrace,
    stopGrace,
    retry,
    shouldSkip,
    isolation = 'thread',
    memory,
    schedule,
    budget,
    breaker,
    env,
    sqlite,
  } = definition.options
  if (timeout !== undefined && durationMs(timeout, `${kind}.timeout`, { infinite: true }) === 0)
    throw optionInvalid(`${kind}.timeout`, timeout, 'a duration above 0, or Infinity for no timeout')
  if (shouldSkip !== undefined && typeof shouldSkip !== 'function')
    throw optionInvalid(`${kind}.shouldSkip`, shouldSkip, 'a function')
  if (env !== undefined) checkEnvironmentSchema(env, `${kind}.env`)
  if (sqlite !== undefined) checkKindDatabase(sqlite, `${kind}.sqlite`)
  const setups = [env, sqlite, definition.resource].filter((need) => need !== undefined).length
  return {
    ...(timeout !== undefined && { timeoutMs: durationMs(timeout, `${kind}.timeout`, { infinite: true }) }),
    ...(timeoutGrace !== undefined && { timeoutGraceMs: durationMs(timeoutGrace, `${kind}.timeoutGrace`) }),
    ...(stopGrace !== undefined && { stopGraceMs: durationMs(stopGrace, `${kind}.stopGrace`) }),
    ...(retry !== undefined && kindRetrySettings(retry, `${kind}.retry`)),
    ...(schedule !== undefined && { schedules: kindSchedules(schedule, kind, `${kind}.schedule`) }),
    ...(budget !== undefined && { budget: budgetOf(budget, `${kind}.budget`) }),
    ...(breaker !== undefined && { breaker: breakerSettings(breaker, `${kind}.breaker`) }),
    ...(checkIsolation(isolation, `${kind}.isolation`) === 'process' && { isolation }),
    ...(setups > 0 && { setups }),
    ...kindLimits(definition.options, kind),
    ...(memory !== undefined && { memory: checkMemory(memory, isolation, `${kind}.memory`) }),
  }
}
