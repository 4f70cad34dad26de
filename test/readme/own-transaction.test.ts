import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSqliteStore } from '../../src/persistence/sqlite/open.ts'
import { buildIfStale } from '../support/built-package.ts'
import { codeBlocks, readDocument, root } from '../support/markdown.ts'
import { startNode } from '../support/node-program.ts'

const blocks = codeBlocks(readDocument('docs/your-own-transaction.md'), 'ts')
const nameOf = (block: string): string => /^\/\/ (\S+)/.exec(block)?.[1] ?? ''
const home = join(root, 'coverage')
let folder: string

beforeAll(async () => {
  buildIfStale()
  mkdirSync(home, { recursive: true })
  folder = mkdtempSync(join(home, 'own-transaction-'))
  await openSqliteStore({ database: join(folder, 'app.db') }).close()
  const db = new Database(join(folder, 'app.db'))
  db.exec('CREATE TABLE users (email TEXT NOT NULL)')
  db.close()
  for (const block of blocks) writeFileSync(join(folder, nameOf(block)), block)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(['better-sqlite3.ts', 'drizzle.ts', 'kysely.ts'])('the example %s enqueues with its own row', async (file) => {
  const { output, code } = await startNode([file], { cwd: folder }).end
  expect([output, code]).toEqual(['', 0])
  const db = new Database(join(folder, 'app.db'))
  const [email, input] = ['SELECT email FROM users ORDER BY rowid DESC', 'SELECT input FROM reeve_jobs ORDER BY seq DESC'].map(
    (sql) => db.prepare(sql).pluck().get(),
  )
  db.close()
  expect(input).toBe(JSON.stringify({ email }))
})
