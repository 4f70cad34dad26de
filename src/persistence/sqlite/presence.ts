/**
 * Proof of life between supervisors. Each holds `BEGIN EXCLUSIVE` on a small SQLite file of its own beside the database; the
 * operating system frees that lock when the process dies, whatever killed it. SQLite's own lock is used because it
 * is the one that works on every platform, and between connections of one process as well as between processes.
 *
 * The order of things is the protocol: the lock is held before the owner is registered, so whoever reads the register
 * never meets a file that is not yet locked; and at the end the register is written last, so a death halfway
 * leaves a registered owner that is found dead, and no file that nobody looks for.
 */
import { rmSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { optionInvalid, ReeveError } from '../../errors.ts'
import type { OwnerId } from '../../job/lease.ts'
import type { Presence } from '../presence.ts'
import { databasePath } from './database-path.ts'
import { loadSqlite } from './load-sqlite.ts'
import { inlinePresenceFile, presenceFile, sweepPresences } from './presence-file.ts'
import { exists, PresenceProbes } from './presence-probes.ts'
import { databaseError } from './sqlite-error.ts'

/** Whose presence to hold, and beside which database (whose schema is there already: open the store first). */
export interface PresenceOptions {
  readonly database: string
  readonly owner: OwnerId
}

/** Every lock that is held. A connection that nobody refers to is closed by the garbage collector, and its lock with it. */
const heldLocks = new Set<Database>()

/** How long the first entry in the register waits for another connection: nothing else waits for this thread yet. */
const registerTimeoutMs = 10_000
/** How long a later write waits. Short, for leases wait with it; where it fails, somebody looks at the dead owner again. */
const clearTimeoutMs = 50

/**
 * Takes the lock, then registers the owner.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` for a database in memory or an owner that cannot be part of a file name, `REEVE_DATABASE_…`
 * where the file cannot be made, is locked (an owner is used once), or the register cannot be written.
 */
export function holdPresence({ database, owner }: PresenceOptions): Presence {
  const file = databasePath(database)
  if (!/^[\w-]{1,100}$/.test(owner)) throw optionInvalid('owner', owner, 'letters, digits, - and _')
  let held: Database | null = lockFile(presenceFile(file, owner))
  try {
    // A sweep that took the file for a leftover, between its making and its locking, has left the lock on nothing.
    if (!exists(presenceFile(file, owner))) throw new ReeveError('REEVE_DATABASE_IO', `${presenceFile(file, owner)} was removed.`)
    register(file, registerTimeoutMs, 'INSERT INTO reeve_supervisors (owner, pid) VALUES (?, ?)', owner, process.pid)
  } catch (error) {
    unlock(held)
    rmSync(presenceFile(file, owner), { force: true })
    throw error
  }
  const probes = new PresenceProbes()
  // Its inline handlers may outlive it: as long as one of them is at work, its jobs are not to be taken.
  const isFree = (other: OwnerId) => probes.isFree(presenceFile(file, other)) && probes.isFree(inlinePresenceFile(file, other))
  return {
    owner,
    isDead: (other) => other !== owner && isFree(other),
    forget(other) {
      // Looked at again: the caller may have been told of the death by an older answer, and a live file must stay.
      if (other === owner || !isFree(other)) return
      rmSync(inlinePresenceFile(file, other), { force: true })
      clear(file, other)
    },
    sweep: (now) => sweepPresences(file, now),
    release() {
      probes.close()
      if (held === null) return
      unlock(held)
      held = null
      try {
        clear(file, owner)
      } catch (error) {
        // Somebody writes: then we stay registered as an owner that holds no lock, and are forgotten like any dead one.
        if (!(error instanceof ReeveError)) throw error
      }
    },
  }
}

/**
 * Takes the lock that keeps an owner alive for others while handlers of it run in the app's own thread, whatever becomes of
 * its supervisor thread. Returns what gives it up.
 *
 * @throws ReeveError `REEVE_DATABASE_…` where the file cannot be made.
 */
export function holdInlinePresence({ database, owner }: PresenceOptions): () => void {
  const path = inlinePresenceFile(databasePath(database), owner)
  let held: Database | null = lockFile(path)
  return () => {
    if (held === null) return
    unlock(held)
    held = null
    rmSync(path, { force: true })
  }
}

/** Nothing is ever written to the file, so it stays empty; the journal is in memory so that none is left beside it. */
function lockFile(path: string): Database {
  const sqlite = loadSqlite()
  let db: Database | undefined
  try {
    db = new sqlite(path, { timeout: 0 })
    db.pragma('journal_mode = MEMORY')
    db.exec('BEGIN EXCLUSIVE')
    heldLocks.add(db)
    return db
  } catch (error) {
    db?.close()
    throw databaseError(error, path)
  }
}

function unlock(db: Database): void {
  db.close()
  heldLocks.delete(db)
}

function clear(file: string, owner: OwnerId): void {
  rmSync(presenceFile(file, owner), { force: true })
  register(file, clearTimeoutMs, 'DELETE FROM reeve_supervisors WHERE owner = ?', owner)
}

/** Twice in a life, so it takes a connection of its own for a moment. Closing it keeps the locks of others in this process. */
function register(file: string, timeout: number, sql: string, ...values: readonly (string | number)[]): void {
  let db: Database | undefined
  try {
    db = new (loadSqlite())(file, { timeout, fileMustExist: true })
    db.prepare(sql).run(...values)
  } catch (error) {
    throw databaseError(error, file)
  } finally {
    db?.close()
  }
}
