import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { JobContext } from '../../src/job/context.ts'
import {
  type AnyJobDefinition,
  defineJobs,
  type EnqueueArguments,
  type InputOf,
  isJobs,
  type Jobs,
  job,
  type KindOf,
  kindSettings,
  type ResultOf,
} from '../../src/job/definition.ts'

describe('a kind of a jobs module', () => {
  test('has its options in milliseconds, and no more than was said', () => {
    const said = job({
      timeout: '30s',
      timeoutGrace: 5,
      stopGrace: '1m',
      retry: { attemptsMax: 4, backoff: { base: '2s', max: '1h', factor: 3, jitter: 0 } },
      run() {},
    })
    expect(kindSettings(said)).toEqual({
      timeoutMs: 30_000,
      timeoutGraceMs: 5,
      stopGraceMs: 60_000,
      attemptsMax: 4,
      backoff: { baseMs: 2_000, maxMs: 3_600_000, factor: 3, jitter: 0 },
    })
    expect(kindSettings(job({ isolation: 'process', memory: { rssMb: 512 }, run() {} }))).toEqual({
      isolation: 'process',
      memory: { rssMb: 512 },
    })
    expect(kindSettings(job({ isolation: 'thread', run() {} }))).toEqual({})
    expect(kindSettings(job({ run() {} }))).toEqual({})
    expect(kindSettings(job({ timeout: Number.POSITIVE_INFINITY, run() {} }))).toEqual({ timeoutMs: Number.POSITIVE_INFINITY })
  })

  test('fills in what a partial backoff leaves out, and never waits less than its base', () => {
    expect(kindSettings(job({ retry: { backoff: { base: '5m' } }, run() {} })).backoff).toEqual({
      baseMs: 300_000,
      maxMs: 300_000,
      factor: 2,
      jitter: 0.2,
    })
  })

  test.each([
    [{ timeout: 0 }, /'resize\.timeout' is 0/],
    [{ timeout: '3 parsecs' }, /'resize\.timeout' is '3 parsecs'/],
    [{ timeoutGrace: -1 }, /'resize\.timeoutGrace'/],
    [{ stopGrace: Number.POSITIVE_INFINITY }, /'resize\.stopGrace'/],
    [{ retry: 3 }, /'resize\.retry' is 3/],
    [{ retry: { attemptsMax: 0 } }, /'resize\.retry\.attemptsMax' is 0; accepted: a whole number/],
    [{ retry: { attemptsMax: 1.5 } }, /'resize\.retry\.attemptsMax'/],
    [{ retry: { backoff: { base: 'soon' } } }, /'resize\.retry\.backoff\.base'/],
    [{ retry: { backoff: { base: 10, max: 5 } } }, /'resize\.retry\.backoff\.max' is 5/],
    [{ retry: { backoff: { factor: 0.5 } } }, /'resize\.retry\.backoff\.factor'/],
    [{ retry: { backoff: { jitter: 2 } } }, /'resize\.retry\.backoff\.jitter'/],
    [{ isolation: 'container' }, /'resize\.isolation' is 'container'; accepted: 'thread' or 'process'/],
    [{ memory: 64 }, /'resize\.memory' is 64; accepted: an object with heapMb/],
    [{ memory: { heapMb: 4 } }, /'resize\.memory\.heapMb' is 4; accepted: a whole number from 8/],
    [{ memory: { heap: 64 } }, /'resize\.memory\.heap' .*one of the names heapMb, stackMb/],
    [{ memory: { rssMb: 64 } }, /'resize\.memory\.rssMb' .*limits isolation 'process' only/],
    [{ isolation: 'process', memory: { stackMb: 8 } }, /'resize\.memory\.stackMb' .*limits isolation 'thread' only/],
  ])('refuses %j and names the kind and the option', (options, message) => {
    expect(() => defineJobs({ resize: job({ ...options, run() {} } as never) })).toThrow(
      expect.objectContaining({ code: 'REEVE_OPTION_INVALID', message: expect.stringMatching(message) }),
    )
  })

  test.each<[string, unknown, RegExp]>([
    ['no job()', { run() {} }, /'resize' was not made by job\(\): write resize: job/],
    ['no run', job({} as never), /'resize' has no run function/],
    [
      'an input that is no schema',
      job({ input: { type: 'string' }, run() {} } as never),
      /input of kind 'resize' is no Standard Schema/,
    ],
  ])('with %s is refused by name', (_name, definition, message) => {
    expect(() => defineJobs({ resize: definition as AnyJobDefinition })).toThrow(
      expect.objectContaining({ code: 'REEVE_JOBS_INVALID', message: expect.stringMatching(message) }),
    )
  })

  test('without a usable name is refused', () => {
    for (const kind of ['', 'k'.repeat(201)]) {
      expect(() => defineJobs({ [kind]: job({ run() {} }) })).toThrow(/name of a kind has 1 to 200 characters/)
    }
  })

  test('keeps the `this` of its handler', () => {
    const greeting = {
      hello: 'Hello',
      run: function (this: { hello: string }, name: string) {
        return `${this.hello} ${name}`
      },
    }
    const run = job(greeting).run as (input: string, ctx: JobContext) => unknown
    expect(run('you', {} as JobContext)).toBe('Hello you')
  })

  test('is known as one whichever copy of the package made it', () => {
    expect(isJobs(defineJobs({}))).toBe(true)
    expect(isJobs({ [Symbol.for('reeve.jobs')]: true, kinds: {} })).toBe(true)
    for (const value of [null, undefined, {}, 'jobs']) expect(isJobs(value)).toBe(false)
  })
})

describe('the types of a jobs module', () => {
  const when: StandardSchemaV1<string, Date> = {
    '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: new Date(String(value)) }) },
  }
  const jobs = defineJobs({
    resize: job({
      timeout: '30s',
      async run(input: { file: string }, ctx) {
        expectTypeOf(ctx).toEqualTypeOf<JobContext>()
        return input.file.length
      },
    }),
    cleanUp: job({ run() {} }),
    maybe: job({ run: (input: number | undefined) => input }),
    order: job({
      input: z.object({ amount: z.coerce.number<string>(), note: z.string().default('') }),
      run(input, ctx) {
        expectTypeOf(input).toEqualTypeOf<{ amount: number; note: string }>()
        expectTypeOf(ctx).toEqualTypeOf<JobContext>()
        return { total: BigInt(input.amount) }
      },
    }),
    remind: job({ input: when, run: (at) => at.getTime() }),
  })
  type J = typeof jobs

  test('name its kinds', () => {
    expectTypeOf<J>().toExtend<Jobs>()
    expectTypeOf<KindOf<J>>().toEqualTypeOf<'resize' | 'cleanUp' | 'maybe' | 'order' | 'remind'>()
  })

  test('take the inputs of handlers, or of schemas where there are some', () => {
    expectTypeOf<InputOf<J, 'resize'>>().toEqualTypeOf<{ file: string }>()
    expectTypeOf<InputOf<J, 'cleanUp'>>().toEqualTypeOf<void>()
    expectTypeOf<InputOf<J, 'order'>>().toEqualTypeOf<{ amount: string; note?: string | undefined }>()
    expectTypeOf<InputOf<J, 'remind'>>().toEqualTypeOf<string>()
  })

  test('give the awaited results', () => {
    expectTypeOf<ResultOf<J, 'resize'>>().toEqualTypeOf<number>()
    expectTypeOf<ResultOf<J, 'cleanUp'>>().toEqualTypeOf<void>()
    expectTypeOf<ResultOf<J, 'order'>>().toEqualTypeOf<{ total: bigint }>()
    expectTypeOf<ResultOf<J, 'remind'>>().toEqualTypeOf<number>()
  })

  test('let an input be left out only where it may be undefined', () => {
    expectTypeOf<[]>().toExtend<EnqueueArguments<J, 'cleanUp', object>>()
    expectTypeOf<[]>().toExtend<EnqueueArguments<J, 'maybe', object>>()
    expectTypeOf<[]>().not.toExtend<EnqueueArguments<J, 'resize', object>>()
    expectTypeOf<[{ file: number }]>().not.toExtend<EnqueueArguments<J, 'resize', object>>()
  })
})
