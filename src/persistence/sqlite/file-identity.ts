/**
 * Notices that the database file was deleted, moved or replaced. SQLite itself goes on writing to the file that it has
 * open, and what it writes there is gone when the last process closes it. Only looks at names: a descriptor closed beside
 * SQLite's own would drop SQLite's locks.
 */
import { statSync } from 'node:fs'
import { ReeveError } from '../../errors.ts'

/** Remembers which file stands at the path now, and returns a look that says what is wrong since. */
export function watchFile(file: string): () => ReeveError | null {
  const parts = [
    { path: file, what: 'The database', identity: identityOf(file) },
    // The log is made at the first write, and stays until the last connection is closed.
    { path: `${file}-wal`, what: 'The log of the database', identity: identityOf(`${file}-wal`) },
  ]
  return () => {
    for (const part of parts) {
      const now = identityOf(part.path)
      if (now === 'unknown') continue
      if (part.identity === null || part.identity === 'unknown') part.identity = now
      else if (now === null) return displaced(part, 'was deleted or moved')
      else if (now !== part.identity) return displaced(part, 'was replaced by another file')
    }
    return null
  }
}

/** Null where nothing is there. A look that fails says nothing about the file. */
function identityOf(path: string): string | null {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? null : `${found.dev}:${found.ino}`
  } catch {
    return 'unknown'
  }
}

function displaced({ path, what }: { readonly path: string; readonly what: string }, how: string): ReeveError {
  return new ReeveError(
    'REEVE_DATABASE_DISPLACED',
    `${what}, ${path}, ${how} while it was in use: what is written from now on would be lost. Put it back, or restart the process. Until then enqueues are refused and nothing is claimed.`,
  )
}
