/**
 * Looks at the locks of other supervisors, again and again. A probe stays open between looks: opening a database five times a
 * second for each other supervisor is most of what an idle runtime would cost.
 */
import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { loadSqlite } from './load-sqlite.ts'
import { sqliteCode } from './sqlite-error.ts'

/** Windows removes no file that is open, and an owner that leaves removes its own. */
const keepsOpen = process.platform !== 'win32'

/** The open probes of one supervisor, by file. */
export class PresenceProbes {
  readonly #probes = new Map<string, Database>()

  /**
   * Whether nobody holds the file's lock. The probe takes a *shared* lock, so that two probes at once never take each other
   * for the owner. All that is not a plain yes counts as held: a wrong "dead" would run a job twice.
   */
  isFree(path: string): boolean {
    let held = false
    try {
      if (!exists(path)) return true
      // Prepared anew: while the lock is held the schema cannot be read, and nothing is prepared without it.
      this.#probe(path).prepare('SELECT count(*) FROM sqlite_schema').get()
      return true
    } catch (error) {
      const code = sqliteCode(error)
      held = code === 'SQLITE_BUSY'
      // Gone between the look and the opening: its owner, or who forgot it, removed it.
      return code === 'SQLITE_CANTOPEN' && !exists(path)
    } finally {
      if (!held || !keepsOpen) this.#close(path)
    }
  }

  close(): void {
    for (const path of [...this.#probes.keys()]) this.#close(path)
  }

  #probe(path: string): Database {
    const probe = this.#probes.get(path) ?? new (loadSqlite())(path, { timeout: 0, fileMustExist: true })
    this.#probes.set(path, probe)
    return probe
  }

  #close(path: string): void {
    this.#probes.get(path)?.close()
    this.#probes.delete(path)
  }
}

/** Whether something has this path; where nobody can say, something has. */
export function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}
