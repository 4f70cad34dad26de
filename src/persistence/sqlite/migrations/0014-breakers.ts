/** The circuit breakers of kinds: a row for each that has failed since it last completed. */
import type { Migration } from './migration.ts'

/** Creates `reeve_breakers`. */
export const breakersMigration: Migration = {
  version: 14,
  name: 'breakers',
  tables: ['reeve_breakers'],
  sql: `
    CREATE TABLE reeve_breakers (
      kind        TEXT    PRIMARY KEY,
      -- Failed attempts in a row.
      failures    INTEGER NOT NULL,
      -- Nothing is taken before, and one job at a time after it; NULL while it is closed.
      open_until  INTEGER,
      -- How long that was: it doubles, and a clock that is set back must not make it longer.
      cooldown_ms INTEGER,
      -- The lease of the job that was let through last.
      trial       TEXT,
      trial_token INTEGER,
      CHECK ((open_until IS NULL) = (cooldown_ms IS NULL)),
      CHECK ((trial IS NULL) = (trial_token IS NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reeve_breakers_open ON reeve_breakers (kind) WHERE open_until IS NOT NULL;
  `,
}
