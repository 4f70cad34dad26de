/** Handlers that tell every event there is, in a known order. */
import { defineJobs, job } from '../../../src/index.ts'
import { passGate } from '../../support/runtime/gate.ts'

export default defineJobs({
  reports: job({
    retry: { attemptsMax: 2, backoff: { base: 1, jitter: 0 } },
    run({ failures }: { failures: number }, ctx) {
      ctx.progress(0.25, 'a quarter')
      if (ctx.attempt <= failures) throw new Error(`failure ${ctx.attempt}`)
      ctx.progress(1)
      return { done: new Date(7) }
    },
  }),
  /** Says when it is at the gate, and when it is about to return. */
  leaves: job({
    async run({ gate }: { gate: string }, ctx) {
      await passGate(gate, () => ctx.progress(0, 'at the gate'))
      ctx.progress(1, 'leaving')
    },
  }),
  checks: job({ run: (_input: undefined, ctx) => ctx.job.id }),
})
