/**
 * `fires-once`, `cursor-grows`, `gap-policy`: whatever processes, restarts, lost commits and clocks do, each instant of a schedule is
 * decided on once. The seed is taken from REEVE_SEED and printed on failure, the number of runs from REEVE_RUNS.
 */
import { env } from 'node:process'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { quickSeed } from '../../support/seed.ts'
import { Rig } from '../../support/sim/rig.ts'
import { Broken } from './judge.ts'
import { play, programs } from './program.ts'
import { wrongSchedulers } from './wrong-schedulers.ts'

const seed = quickSeed
const numRuns = Number(env['REEVE_RUNS'] ?? 150)
const timeoutMs = 60_000 + numRuns * 400

const rig = new Rig()
afterAll(() => rig.close())

test(
  `each instant is decided on once, and as its rules say (REEVE_SEED=${seed})`,
  async () => {
    const reached = new Set<string>()
    await fc.assert(
      fc.asyncProperty(programs, (program) => play(rig, program, reached, (store) => store)),
      { seed, numRuns },
    )
    if (numRuns >= 100) expect([...reached].toSorted()).toEqual(['caught up', 'in turn', 'made', 'skipped'])
  },
  timeoutMs,
)

test.each(wrongSchedulers)(
  `the property rejects one that $mistake (REEVE_SEED=${seed})`,
  async ({ breaks, wrap }) => {
    const { errorInstance } = await fc.check(
      fc.asyncProperty(programs, (program) => play(rig, program, new Set(), wrap)),
      { seed, numRuns: 300, endOnFailure: true },
    )
    if (!(errorInstance instanceof Broken)) throw errorInstance ?? new Error('the wrong one was not rejected')
    expect(breaks).toContain(errorInstance.invariant)
  },
  timeoutMs,
)
