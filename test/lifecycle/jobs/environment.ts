import { z } from 'zod'
import { defineJobs, job } from '../../../src/job/definition.ts'

export default defineJobs({
  lacks: job({ env: z.object({ REEVE_TEST_TOKEN: z.string(), REEVE_TEST_URL: z.url() }), run: (_: undefined, { env }) => env }),
  has: job({
    env: z.object({ REEVE_TEST_NUMBER: z.coerce.number().default(7) }),
    run: (_: undefined, { env }) => env.REEVE_TEST_NUMBER,
  }),
})
