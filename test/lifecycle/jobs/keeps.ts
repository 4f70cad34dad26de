import { defineJobs, job } from '../../../src/job/definition.ts'

export default defineJobs({
  counts: job({
    async run(times: number, ctx) {
      for (let time = 0; time < times; time++) await ctx.kv.update<number>('count', (before = 0) => before + 1)
    },
  }),
  countsInAProcess: job({
    isolation: 'process',
    run: (_input: undefined, { kv }) => kv.update<number>('count', (before = 0) => before + 1),
  }),
  keeps: job({ run: (value: unknown, { kv }) => kv.set('kept', value) }),
  recalls: job({ run: (key: string, { kv }) => kv.get(key) }),
  /** Writes a word a millisecond, until it is ended. */
  writesOn: job({
    timeout: '200ms',
    retry: { attemptsMax: 1 },
    async run(_input: undefined, { kv }) {
      for (let word = 1; ; word++) {
        await kv.set('last', word)
        if (word === 3) for (;;);
      }
    },
  }),
})
