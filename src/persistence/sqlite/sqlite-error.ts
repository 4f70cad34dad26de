/** What SQLite's result codes mean to Reeve. Every error of better-sqlite3 leaves this folder through here. */
import { type ErrorCode, ReeveError } from '../../errors.ts'

/** Longest prefix first where one is part of another. */
const meanings: readonly { readonly prefix: string; readonly code: ErrorCode; readonly advice: string }[] = [
  { prefix: 'SQLITE_BUSY', code: 'REEVE_DATABASE_BUSY', advice: 'another connection holds the lock; try again' },
  { prefix: 'SQLITE_LOCKED', code: 'REEVE_DATABASE_BUSY', advice: 'another connection holds the lock; try again' },
  {
    prefix: 'SQLITE_PROTOCOL',
    code: 'REEVE_DATABASE_BUSY',
    advice: 'the locks of the file were contended for too long; try again',
  },
  {
    prefix: 'SQLITE_FULL',
    code: 'REEVE_DATABASE_FULL',
    advice: 'the disk or the size limit of the database is full; free some space',
  },
  { prefix: 'SQLITE_READONLY', code: 'REEVE_DATABASE_UNWRITABLE', advice: 'make the file and its folder writable' },
  {
    prefix: 'SQLITE_CANTOPEN',
    code: 'REEVE_DATABASE_UNWRITABLE',
    advice: 'make sure that the folder exists and that the file and its folder are writable',
  },
  { prefix: 'SQLITE_PERM', code: 'REEVE_DATABASE_UNWRITABLE', advice: 'make the file and its folder writable' },
  { prefix: 'SQLITE_NOTADB', code: 'REEVE_DATABASE_NOT_SQLITE', advice: 'open another file, or restore this one from a backup' },
  { prefix: 'SQLITE_CORRUPT', code: 'REEVE_DATABASE_NOT_SQLITE', advice: 'the file is damaged; restore it from a backup' },
  { prefix: 'SQLITE_IOERR', code: 'REEVE_DATABASE_IO', advice: 'look at the disk and the file system' },
]

/** The code of an error of better-sqlite3 (`SQLITE_BUSY`, `SQLITE_IOERR_FSYNC`, …), or null for any other value. */
export function sqliteCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null
  return error.code.startsWith('SQLITE_') ? error.code : null
}

/**
 * The ReeveError for whatever was thrown while `file` was in use. A ReeveError stays itself, and so does an error that
 * is not SQLite's: that one is a bug and must not look like trouble with a disk. A code that is in no list is
 * reported as `REEVE_DATABASE_IO` with SQLite's own words.
 */
export function databaseError(error: unknown, file: string): unknown {
  const code = sqliteCode(error)
  if (code === null) return error
  const meaning = meanings.find(({ prefix }) => code.startsWith(prefix))
  const said = `${(error as Error).message} (${code})`
  if (meaning === undefined)
    return new ReeveError('REEVE_DATABASE_IO', `SQLite refused to work on ${file}: ${said}.`, { cause: error })
  return new ReeveError(meaning.code, `${file}: ${said}: ${meaning.advice}.`, { cause: error })
}
