/** The record of child processes, on the store's own connection. */
import type { Database } from 'better-sqlite3'
import type { OwnerId } from '../../job/lease.ts'
import type { ChildRecord, RecordedChild } from '../child-record.ts'
import { databaseError } from './sqlite-error.ts'

/** Makes the record on a connection that `openDatabase` made. Each write is a transaction of its own: they are rare. */
export function createChildRecord(db: Database): ChildRecord {
  const insert = db.prepare<[OwnerId, number, string | null]>(
    'INSERT INTO reeve_children (owner, pid, start_time) VALUES (?, ?, ?) ON CONFLICT (owner, pid) DO UPDATE SET start_time = excluded.start_time',
  )
  const remove = db.prepare<[OwnerId, number]>('DELETE FROM reeve_children WHERE owner = ? AND pid = ?')
  const select = db.prepare<[OwnerId], RecordedChild>('SELECT pid, start_time AS startTime FROM reeve_children WHERE owner = ?')

  const guarded = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw databaseError(error, db.name)
    }
  }
  return {
    started: async (owner, { pid, startTime }) => void guarded(() => insert.run(owner, pid, startTime)),
    ended: async (owner, pid) => {
      // After the close nobody needs it: the owner is forgotten, and its children with it.
      if (db.open) guarded(() => remove.run(owner, pid))
    },
    of: async (owner) => guarded(() => select.all(owner)),
  }
}
