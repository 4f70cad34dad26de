/** One real SQLite file with a connection for each simulated process and one that only looks. It serves many runs. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { JobId, OwnerId } from '../../../src/job/lease.ts'
import type { JobColumns } from '../../../src/persistence/sqlite/job-columns.ts'
import { loadSqlite } from '../../../src/persistence/sqlite/load-sqlite.ts'
import { openSqliteStore } from '../../../src/persistence/sqlite/open.ts'
import { snapshotInvariants } from '../../../src/persistence/sqlite/snapshot-invariants.ts'
import type { Store } from '../../../src/persistence/store.ts'

/** All rows by id. */
export type Snapshot = ReadonlyMap<JobId, JobColumns>

/** The file and its connections. */
export class Rig {
  readonly folder = mkdtempSync(join(tmpdir(), 'reeve-sim-'))
  readonly file = join(this.folder, 'jobs.db')
  readonly #stores: Store[] = [openSqliteStore({ database: this.file, durability: 'process' })]
  readonly db: Database = new (loadSqlite())(this.file)
  readonly #rows = this.db.prepare<[], JobColumns>('SELECT * FROM reeve_jobs ORDER BY seq')
  readonly #row = this.db.prepare<[string], JobColumns>('SELECT * FROM reeve_jobs WHERE id = ?')
  readonly #invariants = snapshotInvariants.map(({ name, sql }) => ({ name, violators: this.db.prepare(sql).pluck() }))

  /** Empties the tables. */
  reset(): void {
    this.db.exec(
      'DELETE FROM reeve_jobs; DELETE FROM reeve_supervisors; DELETE FROM reeve_key_values; DELETE FROM reeve_schedules',
    )
  }

  /** The connection of process number `index`. */
  store(index: number): Store {
    this.#stores[index] ??= openSqliteStore({ database: this.file, durability: 'process' })
    return this.#stores[index]
  }

  snapshot(): Snapshot {
    return new Map(this.#rows.all().map((row) => [row.id, row]))
  }

  row(id: JobId): JobColumns | undefined {
    return this.#row.get(id)
  }

  register(owner: OwnerId): void {
    this.db.prepare('INSERT INTO reeve_supervisors (owner, pid) VALUES (?, 1)').run(owner)
  }

  unregister(owner: OwnerId): void {
    this.db.prepare('DELETE FROM reeve_supervisors WHERE owner = ?').run(owner)
  }

  /** Each snapshot invariant with its violators; the one that reads the whole file only where `deep` is set. */
  violators({ deep = false } = {}): { readonly name: string; readonly violators: readonly unknown[] }[] {
    return this.#invariants
      .filter(({ name }) => deep || name !== 'no-orphans')
      .map(({ name, violators }) => ({ name, violators: violators.all() }))
  }

  async close(): Promise<void> {
    this.db.close()
    for (const store of this.#stores) await store.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
