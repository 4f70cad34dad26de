/** The files beside a database whose locks say who is alive, and the removal of those that nobody will look at again. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { OwnerId } from '../../job/lease.ts'
import { loadSqlite } from './load-sqlite.ts'
import { databaseError } from './sqlite-error.ts'

/** A file that is younger may belong to a supervisor that is about to lock and to register. */
const leftoverAgeMs = 60_000

/** The file whose lock says that `owner` is alive. */
export function presenceFile(file: string, owner: OwnerId): string {
  return `${file}-reeve-${owner}`
}

/** The file whose lock says that handlers of `owner` run in the app's own thread, which outlives a supervisor thread. */
export function inlinePresenceFile(file: string, owner: OwnerId): string {
  return `${presenceFile(file, owner)}-inline`
}

/**
 * Removes presence files whose owner is not registered: it died between locking and registering, or while it was cleared.
 * A registered one is left to whoever takes its jobs back. Each is removed under its own lock, so never a live one's.
 */
export function sweepPresences(file: string, now: number): void {
  const prefix = `${basename(file)}-reeve-`
  const names = readdirSync(dirname(file)).filter((name) => name.startsWith(prefix))
  const paths = names.map((name) => join(dirname(file), name))
  const old = paths.filter((path) => now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > leftoverAgeMs)
  if (old.length === 0) return
  const registered = new Set(registeredOwners(file).map((owner) => presenceFile(file, owner)))
  for (const path of old) if (!registered.has(path)) removeIfFree(path)
}

function registeredOwners(file: string): OwnerId[] {
  const db = new (loadSqlite())(file, { timeout: 50, fileMustExist: true, readonly: true })
  try {
    return db.prepare<[], OwnerId>('SELECT owner FROM reeve_supervisors').pluck().all()
  } catch (error) {
    throw databaseError(error, file)
  } finally {
    db.close()
  }
}

/** Whatever goes wrong with one file, it stays, and the next sweep looks at it again. */
function removeIfFree(path: string): void {
  try {
    const db = new (loadSqlite())(path, { timeout: 0, fileMustExist: true })
    try {
      db.pragma('journal_mode = MEMORY')
      db.exec('BEGIN EXCLUSIVE')
      // Windows removes no file that is open; it is free and old, so letting go of it first is safe enough there.
      if (process.platform === 'win32') db.close()
      rmSync(path, { force: true })
    } finally {
      db.close()
    }
  } catch {
    return
  }
}
