/** Loads the user's jobs on a worker thread: one module with all kinds, or a folder. It says in plain words what is wrong. */
import { hash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type ErrorCode, ReeveError } from '../../errors.ts'
import { checkKind, isJobs, type Jobs, kindSettings } from '../../job/definition.ts'
import type { KindCatalog, KindSettings } from '../../job/kind.ts'
import { encodeError } from '../error-codec.ts'
import { type FolderReading, type LoadedKinds, loadFolder } from './load-folder.ts'

/**
 * Imports the module, or all files of the folder. How long that may take is bounded from outside: a module can spin at
 * its top level.
 *
 * @throws ReeveError `REEVE_JOBS_UNLOADABLE` where it cannot be imported, `REEVE_JOBS_INVALID` where it is no jobs module
 * or a folder without a single kind.
 */
export async function loadJobs(jobsUrl: string, reading: FolderReading): Promise<LoadedKinds> {
  if (!jobsUrl.startsWith('file:')) return { jobs: await loadModule(jobsUrl, jobsUrl), prints: {}, failed: [] }
  const path = fileURLToPath(jobsUrl)
  const found = await stat(path).catch(() => null)
  if (found === null)
    throw new ReeveError(
      'REEVE_JOBS_UNLOADABLE',
      `There is nothing at ${path}: 'jobs' is the module that exports defineJobs(…), or a folder of job files.`,
    )
  if (found.isDirectory()) return loadFolder(path, reading)
  // Before it is loaded: a text that changes meanwhile has another print at the next look.
  const print = hash('sha256', await readFile(path))
  const jobs = await loadModule(jobsUrl, path)
  return { jobs, prints: Object.fromEntries(Object.keys(jobs.kinds).map((kind) => [kind, print])), failed: [] }
}

async function loadModule(jobsUrl: string, file: string): Promise<Jobs> {
  const jobs = defaultOf(await importModule(jobsUrl, file))
  if (jobs === undefined)
    throw new ReeveError('REEVE_JOBS_INVALID', `${file} has no default export; write: export default defineJobs({ … }).`)
  if (!isJobs(jobs))
    throw new ReeveError(
      'REEVE_JOBS_INVALID',
      `The default export of ${file} is not what defineJobs returns; write: export default defineJobs({ … }).`,
    )
  for (const [kind, definition] of Object.entries(jobs.kinds)) invalidUnless(file, () => checkKind(kind, definition))
  return jobs
}

/** The options of all kinds, for the supervisor. */
export function catalogOf(jobs: Jobs): KindCatalog {
  const catalog: Record<string, KindSettings> = {}
  for (const [kind, definition] of Object.entries(jobs.kinds)) catalog[kind] = kindSettings(definition, kind)
  return catalog
}

async function importModule(jobsUrl: string, file: string): Promise<unknown> {
  try {
    return await import(jobsUrl)
  } catch (cause) {
    const code = isOurs(cause) ? 'REEVE_JOBS_INVALID' : 'REEVE_JOBS_UNLOADABLE'
    throw failure(code, file, cause)
  }
}

function invalidUnless(file: string, check: () => void): void {
  try {
    check()
  } catch (cause) {
    throw failure('REEVE_JOBS_INVALID', file, cause)
  }
}

/** The cause's message stands in ours, because logs often show nothing else. */
function failure(code: ErrorCode, file: string, cause: unknown): ReeveError {
  const { name, message } = encodeError(cause)
  const what = code === 'REEVE_JOBS_INVALID' ? 'is no valid jobs module' : 'could not be loaded'
  return new ReeveError(code, `${file} ${what}: ${isOurs(cause) ? message : `${name}: ${message}`}`, { cause: cause ?? null })
}

/** What defineJobs throws while the module is evaluated, of whichever copy of the package. */
function isOurs(thrown: unknown): boolean {
  const code = encodeError(thrown).code
  return code === 'REEVE_JOBS_INVALID' || code === 'REEVE_OPTION_INVALID'
}

/** A CommonJS module that was compiled from `export default` has its default one level deeper. */
function defaultOf(module: unknown): unknown {
  const outer = propertyOf(module, 'default')
  return isJobs(outer) ? outer : (propertyOf(outer, 'default') ?? outer)
}

function propertyOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && key in value ? (value as Record<string, unknown>)[key] : undefined
}
