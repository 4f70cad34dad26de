/**
 * Child processes of handlers, so that whoever takes back the jobs of a dead supervisor first ends what it left: a child
 * in native code can outlive its parent for a moment, and its job must not run twice.
 */
import type { Migration } from './migration.ts'

/** Creates `reeve_children`. */
export const childrenMigration: Migration = {
  version: 3,
  name: 'children',
  tables: ['reeve_children'],
  sql: `
    CREATE TABLE reeve_children (
      pid        INTEGER NOT NULL,
      owner      TEXT    NOT NULL REFERENCES reeve_supervisors (owner) ON DELETE CASCADE,
      -- Tells the process apart from any later one with its id; NULL where the system does not say.
      start_time TEXT,
      PRIMARY KEY (owner, pid)
    ) STRICT, WITHOUT ROWID;
  `,
}
