/**
 * Watches the folder of the jobs and what is below it, one watcher a folder: Node's own recursive watch walks through
 * `node_modules` on Linux. It opens no file, so a database that lies there keeps its locks.
 */
import { existsSync, type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { basename, dirname, extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FileListener, WatchFiles } from '../actors/job-watch.ts'
import { ReeveError } from '../errors.ts'

const codeExtensions = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'])
const foldersMax = 1_000

/** Watches a folder of job files, or the folder that the jobs module is in. */
export function watchFilesOf(jobsUrl: string): WatchFiles {
  const path = fileURLToPath(jobsUrl)
  return (listener) => new FolderWatch(statSync(path).isDirectory() ? path : dirname(path), listener)
}

/** The watchers of one folder and of all below it, but for `node_modules` and folders that begin with a dot. */
class FolderWatch {
  readonly #root: string
  readonly #listener: FileListener
  readonly #watchers = new Map<string, FSWatcher>()

  constructor(root: string, listener: FileListener) {
    this.#root = root
    this.#listener = listener
    try {
      this.#watch(root)
    } catch (error) {
      this.close()
      throw error
    }
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder)) return
    if (this.#watchers.size >= foldersMax)
      throw new ReeveError(
        'REEVE_OPTION_INVALID',
        `There are more than ${foldersMax} folders below ${this.#root}, too many to watch: give the jobs a folder of their own.`,
      )
    const watcher = watch(folder, { persistent: false }, (_event, name) => this.#heard(folder, name))
    watcher.on('error', (error) => this.#listener.failed(error))
    this.#watchers.set(folder, watcher)
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && isOwn(entry.name)) this.#watch(join(folder, entry.name))
    }
  }

  #heard(folder: string, name: string | null): void {
    if (!existsSync(this.#root)) return this.#listener.failed(new Error(`The folder ${this.#root} is gone.`))
    const path = name === null ? folder : join(folder, name)
    if (name === null || codeExtensions.has(extname(name))) return this.#listener.changed(path)
    if (this.#watchers.has(path) ? existsSync(path) : !isOwn(basename(path)) || !isFolder(path)) return
    try {
      this.#refresh(path)
    } catch (error) {
      this.#listener.failed(error)
    }
    // It may have come with files in it, or gone with some.
    this.#listener.changed(path)
  }

  /** A folder has come or gone. */
  #refresh(path: string): void {
    for (const [folder, watcher] of this.#watchers) {
      if (folder !== path && !folder.startsWith(path + sep)) continue
      watcher.close()
      this.#watchers.delete(folder)
    }
    if (isFolder(path)) this.#watch(path)
  }
}

function isOwn(name: string): boolean {
  return name !== 'node_modules' && !name.startsWith('.')
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
