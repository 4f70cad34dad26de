/** The timings of attempts, as JSON: of a completed one in the job's own row, of every other one in its entry of the history. */
import type { Migration } from './migration.ts'

/** Adds `timings` to `reeve_jobs` and `reeve_attempts`. */
export const timingsMigration: Migration = {
  version: 13,
  name: 'timings',
  tables: [],
  sql: `
    ALTER TABLE reeve_jobs ADD COLUMN timings TEXT;
    ALTER TABLE reeve_attempts ADD COLUMN timings TEXT;
  `,
}
