/** The schedules of a kind, and those that are made at run time: their inputs are the kind's. */
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { defineJobs, type InputOf, type JobHandle, type JobRun, job, type Runtime } from '../../src/index.ts'

/** Schedules that are right. The schedule's input does not narrow what the handler takes. */
export const right = defineJobs({
  plain: job({
    schedule: { every: '1s', input: { word: 'a' } },
    run: (input: { word: string; times?: number }, ctx) => expectTypeOf(ctx.run).toEqualTypeOf<JobRun>() && input.word,
  }),
  method: job({
    schedule: [{ name: 'often', cron: '* * * * *', input: 'a' }],
    budget: 'next-tick',
    run(input: 'a' | 'b') {
      return input
    },
  }),
  checked: job({
    schedule: { cron: '@daily', input: { at: '2026-01-01' } },
    input: z.object({ at: z.string() }),
    run: (input) => input.at,
  }),
  nothing: job({ schedule: { every: '1m', input: null }, run: (input: string | null) => input }),
  none: job({ schedule: { every: '1m' }, run: (_input: undefined, ctx) => ctx.attempt }),
})
expectTypeOf<InputOf<typeof right, 'plain'>>().toEqualTypeOf<{ word: string; times?: number }>()
expectTypeOf<InputOf<typeof right, 'method'>>().toEqualTypeOf<'a' | 'b'>()

expectTypeOf<InputOf<typeof right, 'nothing'>>().toEqualTypeOf<string | null>()

/** Schedules that are wrong. */
export const wrong = (runtime: Runtime<typeof right>) => [
  // @ts-expect-error: the handler takes another input
  job({ schedule: { every: '1s', input: { word: 3 } }, run: (input: { word: string }) => input.word }),
  // @ts-expect-error: the handler needs an input
  job({ schedule: { every: '1s' }, run: (input: { word: string }) => input.word }),
  // @ts-expect-error: there is no such rule
  job({ schedule: { every: '1s', overlap: 'never' }, run: () => 1 }),
  // @ts-expect-error: the kind takes another input
  runtime.schedules.upsert('a', { kind: 'plain', every: '1s', input: { word: 3 } }),
  // @ts-expect-error: the kind needs an input
  runtime.schedules.upsert('a', { kind: 'plain', every: '1s' }),
  // @ts-expect-error: there is no such kind
  runtime.schedules.upsert('a', { kind: 'other', every: '1s' }),
]

/** What the calls give back. */
export async function answers(runtime: Runtime<typeof right>) {
  await runtime.schedules.upsert('a', { kind: 'none', every: '1s' })
  expectTypeOf(await runtime.schedules.trigger<'plain'>('a')).toEqualTypeOf<JobHandle<string>>()
}
