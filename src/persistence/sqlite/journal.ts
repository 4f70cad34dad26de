/** The log of a database: how sure a commit is, and the switch to it. */
import type { Database } from 'better-sqlite3'
import { ReeveError } from '../../errors.ts'
import { sqliteCode } from './sqlite-error.ts'

/** In WAL, NORMAL syncs at a checkpoint only, FULL at every commit. macOS needs `fullfsync` to reach the platter. */
export function setDurability(db: Database, durability: 'power' | 'process'): void {
  db.pragma(`synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`)
  if (durability === 'power' && process.platform === 'darwin') {
    db.pragma('fullfsync = ON')
    db.pragma('checkpoint_fullfsync = ON')
  }
}

/**
 * Switches the file to WAL, which it then stays in. The switch needs the file for a moment and SQLite does not wait for
 * it; `BEGIN EXCLUSIVE` does, so that is the wait between two tries.
 *
 * @throws ReeveError `REEVE_DATABASE_UNWRITABLE` where it cannot have one.
 */
export function enterWal(db: Database, file: string, triesLeft = 20): void {
  try {
    const mode = db.pragma('journal_mode = WAL', { simple: true })
    if (mode === 'wal') return
    throw new ReeveError(
      'REEVE_DATABASE_UNWRITABLE',
      `${file} cannot use a write-ahead log (its journal mode stays '${String(mode)}'): Reeve needs a local disk, not a network one.`,
    )
  } catch (error) {
    if (triesLeft === 0 || sqliteCode(error)?.startsWith('SQLITE_BUSY') !== true) throw error
  }
  db.exec('BEGIN EXCLUSIVE')
  db.exec('ROLLBACK')
  enterWal(db, file, triesLeft - 1)
}
