/** Key-value state of handlers, a namespace for each kind. */
import type { Migration } from './migration.ts'

/** Creates `reeve_key_values`. */
export const keyValuesMigration: Migration = {
  version: 9,
  name: 'key-values',
  tables: ['reeve_key_values'],
  sql: `
    CREATE TABLE reeve_key_values (
      kind       TEXT    NOT NULL,
      key        TEXT    NOT NULL,
      value      ANY     NOT NULL,
      updated_at INTEGER NOT NULL,
      PRIMARY KEY (kind, key)
    ) STRICT, WITHOUT ROWID;
  `,
}
