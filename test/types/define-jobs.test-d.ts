/** `defineJobs` and `job`, and the options of `createRuntime`. */
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import {
  createRuntime,
  defineJobs,
  type JobContext,
  type JobDefinition,
  job,
  type KindDatabase,
  type KindDatabaseOptions,
  type Runtime,
} from '../../src/index.ts'
import type jobs from './jobs.ts'

const url = new URL('https://example.org')
const shared: KindDatabaseOptions = { file: new URL('file:///shared.db'), migrations: [] }

/** Definitions that are right. */
export const right = defineJobs({
  plain: job({ run: (input: number, ctx) => expectTypeOf(ctx).toEqualTypeOf<JobContext>() && input }),
  checked: job({
    input: z.object({ at: z.coerce.date() }),
    timeout: '30s',
    retry: { attemptsMax: 5, backoff: { base: '1s', max: '1m' } },
    run: (input) => expectTypeOf(input).toEqualTypeOf<{ at: Date }>() && 1,
  }),
  opens: job({
    setup: async () => new Map<string, number>(),
    teardown: (resource) => expectTypeOf(resource).toEqualTypeOf<Map<string, number>>(),
    run: (input: string, { resource }) => expectTypeOf(resource).toEqualTypeOf<Map<string, number>>() && resource.get(input),
  }),
  opensChecked: job({
    input: z.string(),
    setup: () => 7,
    run: (_input, { resource }) => expectTypeOf(resource).toEqualTypeOf<number>() && resource,
  }),
  reads: job({
    env: z.object({ PORT: z.coerce.number() }),
    run: (input: number, { env }) => expectTypeOf(env).toEqualTypeOf<{ PORT: number }>() && env.PORT + input,
  }),
  stores: job({
    input: z.number(),
    env: z.object({ PORT: z.string() }),
    sqlite: { file: 'stores.db', migrations: [{ name: 'pages', up: (db) => void db.exec('CREATE TABLE pages (url TEXT)') }] },
    setup: async () => 7,
    run: (_input, ctx) => expectTypeOf(ctx).toEqualTypeOf<JobContext<number, { PORT: string }, KindDatabase>>() && 1,
  }),
  storesShared: job({ sqlite: shared, run: (_: string, { sqlite }) => sqlite.prepare('SELECT 1').pluck().get() }),
  opensNothing: job({ run: (_input: undefined, { resource }) => expectTypeOf(resource).toEqualTypeOf<undefined>() && 1 }),
})

/** Definitions that are wrong. */
export const wrong = () => [
  // @ts-expect-error: a kind is made by job()
  defineJobs({ resize: { run: () => 1 } }),
  // @ts-expect-error: there is no run function
  job({ timeout: '3s' }),
  // @ts-expect-error: this is no duration
  job({ timeout: '3 parsecs', run: () => 1 }),
  // @ts-expect-error: a teardown takes what the setup made
  job({ setup: () => 7, teardown: (made: string) => made, run: () => 1 }),
  // @ts-expect-error: the file is missing
  job({ sqlite: { migrations: [] }, run: () => 1 }),
  // @ts-expect-error: this is no schema
  job({ env: { PORT: 'number' }, run: () => 1 }),
  // @ts-expect-error: there is no such variable
  job({ env: z.object({ PORT: z.string() }), run: (_: number, { env }) => env.HOST }),
  // @ts-expect-error: there is no such option
  job({ timeuot: '3s', run: () => 1 }),
  // @ts-expect-error: the handler takes what the schema gives out
  job({ input: z.object({ a: z.string() }), run: (input: { a: number }) => input.a }),
]

/** Runtimes, right and wrong. */
export async function runtimes(): Promise<void> {
  expectTypeOf(await createRuntime<typeof jobs>({ database: 'jobs.db', jobs: url })).toEqualTypeOf<Runtime<typeof jobs>>()
  expectTypeOf(await createRuntime({ database: 'jobs.db', definitions: right })).toEqualTypeOf<Runtime<typeof right>>()
  // @ts-expect-error: the database is missing
  await createRuntime<typeof jobs>({ jobs: url })
  // @ts-expect-error: there is no such option
  await createRuntime<typeof jobs>({ database: 'jobs.db', jobs: url, thread: 2 })
  // @ts-expect-error: a durability is one of two words
  await createRuntime<typeof jobs>({ database: 'jobs.db', jobs: url, durability: 'full' })
}

const leaving = job({
  retry: { backoff: ['1s', 5_000], shouldRetry: (error) => error instanceof Error, retryDelay: async (attempt) => attempt * 10 },
  run: (input: number, ctx) => (input > 0 ? { input } : ctx.snooze('5m')),
})
// What leaves the handler is no part of its result.
expectTypeOf(leaving).toEqualTypeOf<JobDefinition<number, { input: number }>>()
// @ts-expect-error: a word that is no duration
job({ retry: { backoff: 'soon' }, run: () => 1 })
