/**
 * Whatever the order of messages, timers, commits, exits and deaths, the supervisor keeps the published invariants. The
 * seed is taken from REEVE_SEED and printed on failure, the number of runs from REEVE_RUNS.
 */
import { env } from 'node:process'
import { expect, test } from 'vitest'
import { quickSeed } from '../../support/seed.ts'
import { guardsOften, supervisorsKeepInvariants } from './property.ts'

const seed = quickSeed
const numRuns = Number(env['REEVE_RUNS'] ?? 200)

test(`supervisors keep every invariant in any order of events (REEVE_SEED=${seed})`, { timeout: 120_000 }, async () => {
  const reached = await supervisorsKeepInvariants({ seed, numRuns })
  // A check whose guard was never reached has not checked anything.
  if (numRuns >= 100) expect([...reached.keys()]).toEqual(expect.arrayContaining([...guardsOften]))
})
