/**
 * Any list of commands about steps and events, from two handles on one file, does to a store exactly what it does to the model. The
 * seed is taken from REEVE_SEED and printed on failure, the number of runs from REEVE_RUNS.
 */
import { env } from 'node:process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quickSeed } from '../../support/seed.ts'
import { openStore, plainConnection } from '../../support/store/scratch.ts'
import { stepInvariants } from './judge.ts'
import { programs } from './program.ts'
import { Broken, runProgram } from './runner.ts'
import { wrapStore, wrongStores } from './wrong-stores.ts'

const seed = quickSeed
const numRuns = Number(env['REEVE_RUNS'] ?? 120)
const timeoutMs = 30_000 + numRuns * 200

test(
  `steps and events do in a store what they do in the model (REEVE_SEED=${seed})`,
  async () => {
    const first = openStore()
    const bench = { handles: [first, openStore({ database: first.file })], watch: plainConnection(first.file) } as const
    const reached = new Set<string>()
    await fc.assert(
      fc.asyncProperty(programs, (steps) => runProgram(bench, steps, reached)),
      { seed, numRuns },
    )
    // A property that never got there has not checked anything.
    if (numRuns < 100) return
    const moves = [
      ...['running to suspended by suspend', 'running to ready by suspend', 'running to cancelled by suspend'],
      ...['suspended to ready by emit', 'suspended to ready by wake', 'suspended to cancelled by cancel'],
    ]
    const outcomes = ['listed', 'value', 'remembered', 'remembered standing', 'stale'].map((outcome) => `step ${outcome}`)
    for (const what of [...moves, ...outcomes, 'emit kept', 'emit over', 'emit not-found', 'dropped', 'repeated'])
      expect(reached).toContain(what)
  },
  timeoutMs,
)

test.each(wrongStores)(`the property rejects a store that $mistake (REEVE_SEED=${seed})`, async (wrong) => {
  const { file } = openStore()
  const db = plainConnection(file)
  // The mistakes must reach the property and not stop at the constraints of the tables.
  db.pragma('ignore_check_constraints = ON')
  db.exec('DROP INDEX reeve_steps_taken')
  const handle = () => wrapStore(wrong, openStore({ database: file }), db)
  const bench = { handles: [handle(), handle()], watch: plainConnection(file) } as const
  // The model notices most mistakes too; what must be seen here is that the promise itself is held up to them.
  const throwIfNamed = (error: unknown) => {
    if (!(error instanceof Broken) || error.invariant !== 'model' || wrong.breaks.includes('model')) throw error
  }
  const { errorInstance } = await fc.check(
    fc.asyncProperty(programs, (steps) => runProgram(bench, steps).catch(throwIfNamed)),
    { seed, numRuns: 400, endOnFailure: true },
  )
  if (!(errorInstance instanceof Broken)) throw errorInstance ?? new Error('the wrong store was not rejected')
  expect(wrong.breaks).toContain(errorInstance.invariant)
})

test('every invariant of steps has a store that breaks it', () => {
  const named = new Set(wrongStores.flatMap(({ breaks }) => breaks))
  expect(stepInvariants.filter((name) => !named.has(name))).toEqual([])
})
