import { threadId } from 'node:worker_threads'
import { z } from 'zod'
import { defineJobs, job } from '../../../src/job/definition.ts'

export default defineJobs({
  lacks: job({ env: z.object({ REEVE_TEST_TOKEN: z.string(), REEVE_TEST_URL: z.url() }), run: (_: undefined, { env }) => env }),
  has: job({
    env: z.object({ REEVE_TEST_DELAY: z.coerce.number().default(100) }),
    async run(_: undefined, { env }) {
      await new Promise((resolve) => setTimeout(resolve, env.REEVE_TEST_DELAY))
      return threadId
    },
  }),
})
