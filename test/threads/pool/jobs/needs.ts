/** Kinds with an environment and databases of their own. */
import { env, pid } from 'node:process'
import { threadId } from 'node:worker_threads'
import { z } from 'zod'
import { defineJobs, job } from '../../../../src/job/definition.ts'
import type { KindDatabaseOptions } from '../../../../src/job/kind-database.ts'

const folder = env['REEVE_TEST_FOLDER'] ?? ''
const database: KindDatabaseOptions = {
  file: `${folder}/own.db`,
  migrations: [
    { name: 'visits', up: 'CREATE TABLE visits (worker TEXT NOT NULL) STRICT' },
    { name: 'first', up: (db) => void db.prepare('INSERT INTO visits VALUES (?)').run(`migrated by ${pid}/${threadId}`) },
  ],
}
const workerEnv = z.object({ REEVE_TEST_PORT: z.coerce.number(), REEVE_TEST_FOLDER: z.string() })

export default defineJobs({
  reads: job({ env: workerEnv, run: (_: undefined, { env }) => env.REEVE_TEST_PORT }),
  readsToo: job({ env: workerEnv, run: (_: undefined, { env }) => env.REEVE_TEST_PORT + 1 }),
  lacks: job({
    env: z.object({ REEVE_TEST_PORT: z.string(), REEVE_TEST_TOKEN: z.string(), REEVE_TEST_MODE: z.enum(['a', 'b']) }),
    run: () => 'ran',
  }),
  visits: job({
    sqlite: database,
    run(_: undefined, { sqlite }) {
      sqlite.prepare('INSERT INTO visits VALUES (?)').run(`${pid}/${threadId}`)
      return sqlite.prepare('SELECT worker FROM visits').pluck().all()
    },
  }),
  fails: job({ sqlite: { file: `${folder}/fails.db`, migrations: [{ name: 'bad', up: 'CREATE TABEL a' }] }, run: () => 'ran' }),
  leavesOpen: job({
    sqlite: database,
    run(how: 'returns' | 'throws', { sqlite }) {
      sqlite.exec('BEGIN IMMEDIATE')
      sqlite.prepare('INSERT INTO visits VALUES (?)').run('never kept')
      if (how === 'throws') throw new TypeError('no')
    },
  }),
  closes: job({ sqlite: database, run: (_: undefined, { sqlite }) => void sqlite.close() }),
  hangs: job({
    sqlite: database,
    run(_: undefined, { sqlite, progress }) {
      sqlite.exec('BEGIN IMMEDIATE')
      progress(0, 'in a transaction')
      for (;;);
    },
  }),
  alone: job({ run: (_: undefined, { env, sqlite }) => [env, sqlite] }),
})
