/** The same property as in the quick suite, long enough for rare orders. REEVE_SEED and REEVE_RUNS hold here too. */
import { env } from 'node:process'
import { expect, test } from 'vitest'
import { freshSeed } from '../../support/seed.ts'
import { guardsOften, guardsSeldom, supervisorsKeepInvariants } from './property.ts'

const seed = freshSeed()
const numRuns = Number(env['REEVE_RUNS'] ?? 6_000)

test(`supervisors keep every invariant in thousands of orders of events (REEVE_SEED=${seed})`, async () => {
  const reached = await supervisorsKeepInvariants({ seed, numRuns })
  if (numRuns >= 1_000) expect([...reached.keys()]).toEqual(expect.arrayContaining([...guardsOften, ...guardsSeldom]))
})
