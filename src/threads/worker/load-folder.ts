/**
 * Loads a folder of job files, one after the other. A file that does not load is told of, and no other one suffers. The
 * supervisor hears of each file before it is imported: where this thread then hangs or ends, it knows of which file.
 */
import { hash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Clock, realClock } from '../../clock.ts'
import { ReeveError } from '../../errors.ts'
import { type AnyJobDefinition, checkKind, defineJobs, type Jobs, kindSettings } from '../../job/definition.ts'
import type { ErrorRecord } from '../../job/error-record.ts'
import { definitionOfFile } from '../../job/job-file.ts'
import type { FailedFile } from '../../job/loaded-jobs.ts'
import { decodeError, encodeError } from '../error-codec.ts'

/** How a folder is read. */
export interface FolderReading {
  /** Files that took a thread down, by path, with the reason: they are not loaded. */
  readonly skip: Readonly<Record<string, ErrorRecord>>
  /** This file is imported next. */
  readonly loading: (file: string) => void
}

/** All that was loaded, of a folder or of one module. */
export interface LoadedKinds {
  readonly jobs: Jobs
  /** As in {@link LoadedJobs}. */
  readonly prints: Readonly<Record<string, string>>
  readonly failed: readonly FailedFile[]
}

const extensions = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'])

/**
 * Loads all kinds of a folder.
 *
 * @throws ReeveError `REEVE_JOBS_INVALID` where it holds no job file, `REEVE_JOBS_UNLOADABLE` where none of them loads.
 */
export async function loadFolder(folder: string, { skip, loading }: FolderReading): Promise<LoadedKinds> {
  const clock = realClock()
  const kinds = new Map<string, AnyJobDefinition>()
  const prints: Record<string, string> = {}
  const failed: FailedFile[] = []
  for (const [kind, files] of await filesByKind(folder)) {
    const file = join(folder, files[0])
    const skipped = skip[file]
    if (skipped !== undefined) {
      failed.push({ file, kind, error: skipped })
      continue
    }
    try {
      if (files.length > 1) throw sameName(kind, files)
      // Before it is loaded: a text that changes meanwhile has another print at the next look.
      const print = hash('sha256', await readFile(file))
      loading(file)
      kinds.set(kind, await loadFile(file, kind, clock))
      prints[kind] = print
    } catch (thrown) {
      failed.push({ file, kind, error: encodeError(unloadable(file, kind, thrown)) })
    }
  }
  if (kinds.size === 0) throw noKind(folder, failed)
  return { jobs: defineJobs(Object.fromEntries(kinds)), prints, failed }
}

/** The files of a folder that are to be kinds, in the order of their names. */
async function filesByKind(folder: string): Promise<ReadonlyMap<string, [string, ...string[]]>> {
  const byKind = new Map<string, [string, ...string[]]>()
  for (const name of (await readdir(folder)).sort()) {
    const { name: kind, ext } = parse(name)
    if (!extensions.has(ext) || kind.startsWith('_') || kind.includes('.')) continue
    // Looked at by itself, not by its entry: a link to a file is a file.
    if (!((await stat(join(folder, name)).catch(() => null))?.isFile() ?? false)) continue
    const files = byKind.get(kind)
    if (files === undefined) byKind.set(kind, [name])
    else files.push(name)
  }
  return byKind
}

async function loadFile(file: string, kind: string, clock: Pick<Clock, 'nextTurn'>): Promise<AnyJobDefinition> {
  const definition = definitionOfFile((await import(pathToFileURL(file).href)) as object)
  checkKind(kind, definition)
  kindSettings(definition, kind)
  // A promise of this file that was rejected and not awaited is an uncaught error now, and not while the next file loads.
  await new Promise<void>((resolve) => clock.nextTurn(resolve))
  return definition
}

function sameName(kind: string, [first, ...others]: readonly [string, ...string[]]): ReeveError {
  const all = [first, ...others].join(' and ')
  return new ReeveError('REEVE_JOBS_INVALID', `${all} are both the kind '${kind}': take one of them away.`)
}

/** The cause's message stands in ours, because logs often show nothing else. */
function unloadable(file: string, kind: string, cause: unknown): ReeveError {
  const { name, message, code } = encodeError(cause)
  if (code === 'REEVE_JOBS_INVALID' || code === 'REEVE_OPTION_INVALID')
    return new ReeveError('REEVE_JOBS_INVALID', `${file} is no valid job file: ${message}`, { kind, cause })
  return new ReeveError('REEVE_JOBS_UNLOADABLE', `${file} could not be loaded: ${name}: ${message}`, {
    kind,
    cause: cause ?? null,
  })
}

function noKind(folder: string, failed: readonly FailedFile[]): ReeveError {
  const [first] = failed
  if (first === undefined)
    return new ReeveError(
      'REEVE_JOBS_INVALID',
      `The folder ${folder} has no job file: each .ts, .mts, .cts, .js, .mjs or .cjs file in it is a kind, but for those whose name begins with _ or has a second dot.`,
    )
  const reasons = failed.map(({ error }) => error.message).join('\n')
  return new ReeveError('REEVE_JOBS_UNLOADABLE', `None of the ${failed.length} job files in ${folder} loads:\n${reasons}`, {
    cause: decodeError(first.error),
  })
}
