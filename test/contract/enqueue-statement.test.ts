import { expect, test } from 'vitest'
import { enqueueStatement } from '../../src/client/enqueue-statement.ts'
import type { EnqueueOptions } from '../../src/index.ts'
import { decodePayload } from '../../src/job/payload.ts'
import type { SqliteStore } from '../../src/persistence/sqlite/store.ts'
import { ask, cancel, claimOne } from '../support/store/commands.ts'
import { openStore, plainConnection } from '../support/store/scratch.ts'

/** Runs the statement as an app would, on a connection of its own that knows nothing of us. */
function runOn(store: SqliteStore, kind: string, input?: unknown, options: EnqueueOptions = {}): string {
  const { id, sql, params } = enqueueStatement(kind, input, options)
  plainConnection(store.file)
    .prepare(sql)
    .run(...params)
  return id
}

const soon = { now: 8e15, leaseExpiresAt: 8.1e15 }

test.each([
  ['nothing', undefined],
  ['a JSON value', { list: [1, 'two'] }],
  ['a Date in a Map', new Map([['at', new Date(5)]])],
  ['a text too large for its row', 'ä'.repeat(9_000)],
  ['bytes too large for their row', new Uint8Array(9_000).fill(7)],
])('a statement with an input of %s makes the same job as an enqueue', async (_, input) => {
  const store = openStore()
  const options: EnqueueOptions = {
    priority: 3,
    queue: 'mail',
    timeout: Number.POSITIVE_INFINITY,
    retry: { attemptsMax: 7, backoff: { base: 10 } },
    correlationId: 'order-1',
  }
  const id = runOn(store, 'send', input, options)
  const row = await store.job(id as never)
  expect(row).toMatchObject({
    kind: 'send',
    queue: 'mail',
    priority: 3,
    state: 'ready',
    attemptsMax: 7,
    correlationId: 'order-1',
  })
  expect(decodePayload(row?.input ?? null)).toEqual(input)
  expect(decodePayload((await claimOne(store, soon)).input)).toEqual(input)
  expect(await store.violations()).toEqual([])
  const inRow = plainConnection(store.file).prepare('SELECT count(*) FROM reeve_inputs').pluck().get()
  expect(inRow).toBe(input !== undefined && (typeof input === 'string' || input instanceof Uint8Array) ? 1 : 0)
})

test('a statement with a group puts the job into its lane', async () => {
  const store = openStore()
  const id = runOn(store, 'send', 1, { group: 'customer-7' })
  expect(await claimOne(store, soon)).toMatchObject({ id, group: 'customer-7' })
  expect(await store.violations()).toEqual([])
})

test('a held key is reused without a word, or refused with one; after its window it is free', async () => {
  const store = openStore()
  const unique = { key: 'a' }
  const first = runOn(store, 'send', 1, { unique })
  const second = runOn(store, 'send', 2, { unique })
  expect(await store.job(second as never)).toBeNull()
  const { sql, params } = enqueueStatement('send', 3, { unique: { ...unique, conflict: 'reject' } })
  expect(() =>
    plainConnection(store.file)
      .prepare(sql)
      .run(...params),
  ).toThrow('REEVE_JOB_DUPLICATE')
  await ask(store, cancel(first))
  expect(await store.job(runOn(store, 'send', 4, { unique }) as never)).not.toBeNull()
  runOn(store, 'send', 5, { unique: { key: 'b', while: 0 } })
  expect(await store.job(runOn(store, 'send', 6, { unique: { key: 'b', while: 0, conflict: 'reject' } }) as never)).not.toBeNull()
  expect(await store.violations()).toEqual([])
})

test.each([
  [{ after: 'a' }, 'after'],
  [{ unique: { key: 'a', conflict: 'latest' } }, 'unique.conflict'],
  [{ unique: { key: 'a', conflict: 'replace' } }, 'unique.conflict'],
] as const)('what one statement cannot do is refused: %o', (options, option) => {
  expect(() => enqueueStatement('send', 1, options)).toThrow(`'${option}'`)
})
