/** Which file an option `database` means. Never opens it: a descriptor closed beside SQLite's own drops SQLite's locks. */
import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { optionInvalid, ReeveError } from '../../errors.ts'

/**
 * The absolute path behind the option, symbolic links resolved, so that every process that means the same file also
 * finds the same presence files beside it.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` for what is no path of a file (`:memory:`, a `file:` URL, an empty string),
 * `REEVE_DATABASE_UNWRITABLE` for a folder that does not exist or a path that is a folder.
 */
export function databasePath(database: string): string {
  if (typeof database !== 'string' || database.trim() !== database || /^(|:memory:|file:.*)$/.test(database)) {
    throw optionInvalid(
      'database',
      database,
      'the path of a file (jobs in memory would not survive, and no other thread could see them)',
    )
  }
  const absolute = resolve(database)
  const path = realPath(absolute) ?? join(folderOf(absolute), basename(absolute))
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw unwritable(path, 'it is a folder; give the path of a file in it')
  }
  return path
}

function folderOf(path: string): string {
  const folder = realPath(dirname(path))
  if (folder === null) throw unwritable(path, `the folder ${dirname(path)} does not exist; create it first`)
  if (!statSync(folder).isDirectory()) throw unwritable(path, `${folder} is not a folder`)
  return folder
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw unwritable(path, (error as Error).message, error)
  }
}

function unwritable(path: string, why: string, cause?: unknown): ReeveError {
  return new ReeveError('REEVE_DATABASE_UNWRITABLE', `The database ${path} cannot be opened: ${why}.`, { cause })
}
