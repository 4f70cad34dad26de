/**
 * Each store that is wrong in one way is told from a right one, by the promise that it breaks. The seed is taken from REEVE_SEED and
 * printed in the title.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quickSeed } from '../../support/seed.ts'
import { openStore, plainConnection } from '../../support/store/scratch.ts'
import { Broken } from './broken.ts'
import { keepEvents } from './open-bench.ts'
import { programs } from './program.ts'
import { type Bench, runProgram } from './runner.ts'
import { transitionInvariants } from './transitions.ts'
import { wrongStores } from './wrong-stores.ts'
import { wrongTiedStores } from './wrong-tied-stores.ts'

const seed = quickSeed
/** A mistake that few programs meet takes many of them. */
const wrongRuns = 1_000
const wrongTimeoutMs = 30_000 + wrongRuns * 200

const all = [...wrongStores, ...wrongTiedStores.map((wrong) => ({ ...wrong, gating: 'tied' as const }))]

test.each(all)(
  `the property rejects a store that $mistake (REEVE_SEED=${seed})`,
  async ({ breaks, wrap, gating }) => {
    const file = openStore().file
    const db = plainConnection(file)
    // The mistakes must reach the property and not stop at the constraints of the table.
    db.pragma('ignore_check_constraints = ON')
    const bench: Bench = {
      handles: [wrap(openStore({ database: file }), db), wrap(openStore({ database: file }), db)],
      watch: plainConnection(file),
    }
    await keepEvents(bench)
    const rejected = async () => {
      const details = await fc.check(
        fc.asyncProperty(programs('single', gating), (steps) => runProgram(bench, steps).catch(throwIfNamed)),
        { seed, numRuns: wrongRuns, endOnFailure: true },
      )
      return details.errorInstance
    }
    // The model notices most mistakes first, by an answer; what must be seen here is that the promise itself is held up to them.
    const throwIfNamed = (error: unknown) => {
      if (!(error instanceof Broken) || error.invariant !== 'model' || breaks.includes('model')) throw error
    }
    const error = await rejected()
    if (!(error instanceof Broken)) throw error ?? new Error('the wrong store was not rejected')
    expect(breaks).toContain(error.invariant)
  },
  wrongTimeoutMs,
)

test('every invariant of a transition has a store that breaks it', () => {
  const broken = new Set(all.flatMap(({ breaks }) => breaks))
  expect(transitionInvariants.filter((name) => !broken.has(name))).toEqual([])
})
