/** Kinds with schedules, and one that says what it was told of its run. */
import { setTimeout as sleep } from 'node:timers/promises'
import { defineJobs, job } from '../../../src/index.ts'

export default defineJobs({
  tick: job({
    schedule: { every: '1s', input: { word: 'tock' } },
    run: (input: { word: string }, ctx) => ({ ...input, run: ctx.run }),
  }),
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
      return { rounds, deadline: ctx.run.deadline, aborted: ctx.signal.aborted, why: String(reason) }
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
