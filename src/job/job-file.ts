/**
 * A job file: a module that is one kind, named after the file. It exports `run` and its options by name, or
 * `export default job({ … })`. Its names are read generically: a new option of a kind is one of a file, too.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { ReeveError } from '../errors.ts'
import type { JobContext } from './context.ts'
import { type AnyJobDefinition, isJob, isJobs, type JobDefinition, type JobOptions, type Jobs, job } from './definition.ts'
import { nearestName } from './nearest-name.ts'

/** What a file of a folder of jobs exports. */
export type JobFile =
  | { readonly run: (input: never, ctx: JobContext<never, never, never>) => unknown }
  | { readonly default: AnyJobDefinition }

/**
 * The jobs of a folder, for the types of `createRuntime`: one entry a file, none of which is loaded by the app.
 *
 * @example
 * ```ts
 * type MyJobs = JobsOfFiles<{ thumbnail: typeof import('./jobs/thumbnail.ts') }>
 * const runtime = await createRuntime<MyJobs>({ database: 'jobs.db', jobs: new URL('./jobs/', import.meta.url) })
 * ```
 */
export type JobsOfFiles<Files extends Readonly<Record<string, JobFile>>> = Jobs<{
  readonly [Kind in keyof Files]: DefinitionOf<Files[Kind]>
}>

type DefinitionOf<File> = File extends { readonly default: infer Definition extends AnyJobDefinition }
  ? Definition
  : File extends { readonly run: infer Run extends (...args: never) => unknown }
    ? JobDefinition<InputOfFile<File, Run>, Awaited<ReturnType<Run>>>
    : never

type InputOfFile<File, Run extends (...args: never) => unknown> = File extends {
  readonly input: infer Schema extends StandardSchemaV1
}
  ? StandardSchemaV1.InferInput<Schema>
  : Parameters<Run>['length'] extends 0
    ? undefined
    : Parameters<Run>[0]

/** Held to {@link JobOptions} by the compiler, so that no option can be forgotten here. */
const names: Readonly<Record<keyof JobOptions | 'run' | 'input' | 'setup' | 'teardown', true>> = {
  run: true,
  input: true,
  timeout: true,
  timeoutGrace: true,
  stopGrace: true,
  retry: true,
  isolation: true,
  memory: true,
  concurrency: true,
  groupConcurrency: true,
  rateLimit: true,
  groupRateLimit: true,
  resource: true,
  exclusive: true,
  schedule: true,
  budget: true,
  breaker: true,
  shouldSkip: true,
  env: true,
  sqlite: true,
  setup: true,
  teardown: true,
}

const optionNames = Object.keys(names).filter((name) => name !== 'run')

/**
 * Makes a kind of what a job file exports. Its options are checked later, with those of all kinds.
 *
 * @throws ReeveError `REEVE_JOBS_INVALID` that says what to export, or which export is misspelt.
 */
export function definitionOfFile(module: object): AnyJobDefinition {
  const exported = exportsOf(module)
  const whole = exported['default']
  if (isJobs(whole))
    throw invalid('It exports what defineJobs returns, which is a module of its own; here write `export default job({ … })`.')
  const optionsHere = Object.keys(exported).filter((name) => Object.hasOwn(names, name))
  if (isJob(whole)) {
    if (optionsHere.length > 0)
      throw invalid(`Beside \`export default job({ … })\` nothing else counts: move '${optionsHere[0]}' into it.`)
    return whole
  }
  if (!('run' in exported))
    throw invalid(
      'It exports no handler: write `export function run(input, ctx) { … }` or `export default job({ … })`. A file that is no kind begins with _ or lies in a subfolder.',
    )
  for (const name of Object.keys(exported)) refuseMisspelt(name)
  return job(Object.fromEntries(optionsHere.map((name) => [name, exported[name]])) as unknown as Parameters<typeof job>[0])
}

/** An unused default that nobody notices is worse than a file that says why it does not load. */
function refuseMisspelt(name: string): void {
  if (Object.hasOwn(names, name)) return
  const meant = nearestName(name, optionNames)
  if (meant !== null)
    throw invalid(`It exports '${name}', which is no option; '${meant}' is. If it is something else, give it another name.`)
}

/** What a CommonJS module exports stands in `default`, as what `export default { run }` exports does. */
function exportsOf(module: object): Readonly<Record<string, unknown>> {
  const { default: whole, ...exported } = module as Readonly<Record<string, unknown>>
  if (typeof whole !== 'object' || whole === null || isJob(whole) || isJobs(whole)) return { ...exported, ...ifAny(whole) }
  const inner = (whole as Readonly<Record<string, unknown>>)['default']
  return { ...exported, ...whole, default: inner }
}

function ifAny(whole: unknown): { readonly default?: unknown } {
  return whole === undefined ? {} : { default: whole }
}

function invalid(message: string): ReeveError {
  return new ReeveError('REEVE_JOBS_INVALID', message)
}
