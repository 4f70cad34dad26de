/**
 * One write transaction. Always `BEGIN IMMEDIATE`: a transaction that begins as a reader and then writes fails with
 * BUSY at once where another connection wrote in between, whatever the busy timeout.
 */
import type { Database } from 'better-sqlite3'
import { ReeveError } from '../../errors.ts'
import { databaseError, sqliteCode } from './sqlite-error.ts'

/**
 * Runs `body` between BEGIN IMMEDIATE and COMMIT and returns what it returned. If anything throws before COMMIT,
 * or COMMIT leaves the transaction open (a lock), all is rolled back and nothing was changed.
 *
 * @throws ReeveError `REEVE_COMMIT_UNKNOWN` where COMMIT failed (for want of anything but space) and SQLite closed the
 * transaction: its last frame may or may not be on the disk. `REEVE_DATABASE_…` for all that is certain.
 */
export function runTransaction<T>(db: Database, file: string, body: () => T): T {
  const { begin, commit, rollback } = statementsOf(db)
  let result: T
  try {
    begin()
    result = body()
  } catch (error) {
    // FULL, IOERR and NOMEM may have rolled back by themselves; then there is nothing left to roll back.
    if (db.inTransaction) rollback()
    throw databaseError(error, file)
  }
  try {
    commit()
  } catch (error) {
    // The mark of a commit is the last thing that is written to the log: where there was no space, it is not there.
    if (!db.inTransaction && sqliteCode(error) !== 'SQLITE_FULL') throw commitUnknown(error, file)
    if (db.inTransaction) rollback()
    throw databaseError(error, file)
  }
  return result
}

interface TransactionStatements {
  begin(): void
  commit(): void
  rollback(): void
}

const prepared = new WeakMap<Database, TransactionStatements>()

function statementsOf(db: Database): TransactionStatements {
  const known = prepared.get(db)
  if (known !== undefined) return known
  const [begin, commit, rollback] = ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'].map((sql) => {
    const statement = db.prepare(sql)
    return () => void statement.run()
  }) as [() => void, () => void, () => void]
  const statements = { begin, commit, rollback }
  prepared.set(db, statements)
  return statements
}

function commitUnknown(error: unknown, file: string): ReeveError {
  return new ReeveError(
    'REEVE_COMMIT_UNKNOWN',
    `A commit to ${file} failed and may still have taken effect: ${(error as Error).message}. Run the same commands again as repeated.`,
    { cause: databaseError(error, file) },
  )
}
