/**
 * The bare database: better-sqlite3 with the pragmas that Reeve sets. Each job is inserted, claimed and settled, in
 * transactions of 64; no threads, no messages, no handlers.
 */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { perSecond, type Sample } from './sample.ts'

const batch = 64

/** Insert, claim and settle under one durability. */
export const bareSqlite =
  (synchronous: 'NORMAL' | 'FULL'): Sample =>
  async ({ folder, noopJobs }) => {
    const db = openBare(join(folder, 'bare.db'), synchronous)
    createTable(db)
    const work = prepare(db)
    work(batch * 20)
    const jobs = Math.ceil(noopJobs / batch) * batch
    const begunAt = performance.now()
    work(jobs)
    const jobsPerSecond = perSecond(jobs, begunAt)
    db.close()
    return { jobsPerSecond }
  }

/** A file with the pragmas that Reeve sets. */
export function openBare(file: string, synchronous: 'NORMAL' | 'FULL'): Database.Database {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma(`synchronous = ${synchronous}`)
  if (synchronous === 'FULL' && process.platform === 'darwin') {
    db.pragma('fullfsync = ON')
    db.pragma('checkpoint_fullfsync = ON')
  }
  db.pragma('wal_autocheckpoint = 2000')
  return db
}

/** One table of jobs with the least that a queue needs. */
function createTable(db: Database.Database): void {
  db.exec(`
    CREATE TABLE jobs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, state TEXT NOT NULL,
      run_at INTEGER NOT NULL, token INTEGER NOT NULL DEFAULT 0, owner TEXT, input ANY, result ANY) STRICT;
    CREATE INDEX jobs_ready ON jobs (run_at) WHERE state = 'ready';
  `)
}

/** Three transactions for every 64 jobs. */
function prepare(db: Database.Database): (jobs: number) => void {
  const insert = db.prepare("INSERT INTO jobs (id, kind, state, run_at, input) VALUES (?, 'noop', 'ready', ?, ?)")
  const due = db.prepare<[number], { seq: number; token: number }>(
    "SELECT seq, token FROM jobs WHERE state = 'ready' AND run_at <= ? ORDER BY run_at, seq LIMIT 64",
  )
  const claim = db.prepare("UPDATE jobs SET state = 'running', token = token + 1, owner = 'bench' WHERE seq = ?")
  const settle = db.prepare("UPDATE jobs SET state = 'completed', owner = NULL, result = ? WHERE seq = ? AND token = ?")
  const insertAll = db.transaction((now: number) => {
    for (let n = 0; n < batch; n++) insert.run(crypto.randomUUID(), now, '{"n":0}')
  })
  const claimAll = db.transaction((now: number) => {
    const rows = due.all(now)
    for (const { seq } of rows) claim.run(seq)
    return rows
  })
  const settleAll = db.transaction((rows: readonly { seq: number; token: number }[]) => {
    for (const { seq, token } of rows) settle.run('null', seq, token + 1)
  })
  return (jobs) => {
    for (let done = 0; done < jobs; done += batch) {
      const now = Date.now()
      insertAll.immediate(now)
      settleAll.immediate(claimAll.immediate(now))
    }
  }
}
