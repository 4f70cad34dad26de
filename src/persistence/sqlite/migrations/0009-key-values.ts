/** Key-value state of handlers, a namespace for each kind. */
import type { Migration } from './migration.ts'

/** Creates `reeve_key_values`. Not WITHOUT ROWID: a value may be megabytes, and a key is looked up without reading it. */
export const keyValuesMigration: Migration = {
  version: 9,
  name: 'key-values',
  tables: ['reeve_key_values'],
  sql: `
    CREATE TABLE reeve_key_values (
      kind       TEXT    NOT NULL,
      key        TEXT    NOT NULL,
      value      ANY     NOT NULL,
      -- The name of the write that made the value; the names of some before it, newest first, to know a repeated write by.
      version    TEXT    NOT NULL,
      earlier    TEXT    NOT NULL,
      updated_at INTEGER NOT NULL,
      PRIMARY KEY (kind, key)
    ) STRICT;
  `,
}
