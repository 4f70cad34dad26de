/** Kinds whose types the tests of this folder look at. */
import { z } from 'zod'
import { defineJobs, job } from '../../src/index.ts'

export default defineJobs({
  /** Its input and result are those of its handler. */
  resize: job({ run: (input: { file: string; width: number }) => ({ path: input.file, bytes: 10n }) }),
  /** An asynchronous result. */
  fetch: job({ run: async (url: URL) => new Map([[url.href, 1]]) }),
  /** No input at all. */
  sweep: job({ run: () => undefined }),
  /** An input that may be left out. */
  report: job({ run: (day?: Date) => day?.getTime() ?? 0 }),
  /** What goes in and what comes out of the schema differ. */
  charge: job({
    input: z.object({ cents: z.string().transform(Number), note: z.string().default('') }),
    run: async ({ cents, note }) => ({ cents: cents * 2, note }),
  }),
})
