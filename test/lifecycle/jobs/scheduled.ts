/** Kinds with schedules, and one that says what it was told of its run. */
import { setTimeout as sleep } from 'node:timers/promises'
import { defineJobs, job } from '../../../src/index.ts'

export default defineJobs({
  tick: job({
    schedule: { every: '1s', input: { word: 'tock' } },
    run: (input: { word: string }, ctx) => ({ ...input, run: ctx.run }),
  }),
  /** Fails the first time, and is to be tried again at the next tick. */
  fails: job({
    retry: { backoff: 'next-tick' },
    run(_input: undefined, ctx) {
      if (ctx.attempt === 1) throw new Error('the first time')
      return Date.now()
    },
  }),
  /** Its retry would not begin before the next tick. */
  hopeless: job({
    retry: { withinTick: true, backoff: { base: '1m' } },
    run() {
      throw new Error('always')
    },
  }),
  /** Skips what it was not asked for by hand. */
  choosy: job({ shouldSkip: ({ scheduledAt }) => scheduledAt !== null, run: () => 'ran' }),
  told: job({ run: (_input: undefined, ctx) => ctx.run }),
  /** Takes up work until its budget is used up. */
  worker: job({
    budget: '80ms',
    async run(_input: undefined, ctx) {
      let rounds = 0
      while (!ctx.stopRequested) {
        rounds++
        await sleep(5)
      }
      const reason: unknown = ctx.signal.reason
      return {
        rounds,
        deadline: ctx.run.deadline,
        aborted: ctx.signal.aborted && ctx.run.signal === ctx.signal && ctx.deadline === ctx.run.deadline,
        why: String(reason),
      }
    },
  }),
  waits: job({
    budget: '40ms',
    async run(_input: undefined, ctx) {
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
      return 'went home'
    },
  }),
})
