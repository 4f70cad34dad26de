/** Handlers that tell every event there is, in a known order. */
import { defineJobs, job } from '../../../src/index.ts'

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
  checks: job({ run: (_input: undefined, ctx) => ctx.job.id }),
})
