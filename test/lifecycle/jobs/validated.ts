/** The same kind with a schema of each of three libraries. Loaded by worker threads, and by the app as `definitions`. */
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import { defineJobs, job } from '../../../src/index.ts'

export default defineJobs({
  zod: job({
    input: z.object({ user: z.object({ age: z.number().min(18, 'too young') }), at: z.date().default(new Date(1)) }),
    run: ({ user, at }) => ({ age: user.age, at }),
  }),
  valibot: job({
    input: v.object({ user: v.object({ age: v.pipe(v.number(), v.minValue(18, 'too young')) }) }),
    run: ({ user }) => user.age,
  }),
  arktype: job({ input: type({ user: { age: 'number >= 18' } }), run: ({ user }) => user.age }),
  plain: job({ run: (input: number) => input + 1 }),
})
