/**
 * Any list of commands, from two handles on one file, does to a store exactly what it does to the model. The seed is taken
 * from REEVE_SEED and printed on failure, the number of runs from REEVE_RUNS.
 */
import { env } from 'node:process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { transitions } from '../../../src/job/state.ts'
import type { Store } from '../../../src/persistence/store.ts'
import { quickSeed } from '../../support/seed.ts'
import { openStore, plainConnection } from '../../support/store/scratch.ts'
import { Broken } from './broken.ts'
import { programs } from './program.ts'
import { type Bench, runProgram } from './runner.ts'
import { transitionInvariants } from './transitions.ts'
import { wrongStores } from './wrong-stores.ts'
import { wrongTiedStores } from './wrong-tied-stores.ts'

const seed = quickSeed
const numRuns = Number(env['REEVE_RUNS'] ?? 150)
/** A run takes some 20 ms; a slow machine gets ten times that. */
const timeoutMs = 30_000 + numRuns * 200
/** A mistake that few programs meet takes more of them. */
const wrongRuns = 400
const wrongTimeoutMs = 30_000 + wrongRuns * 200

/** What programs with gates must have come to. */
const gatedSights = [
  'group claimed',
  'met a full limit',
  'told of a later time',
  'suspect claimed',
  'paused',
  'resumed',
  'repeated',
]

/** Two handles on one new file, each put through `wrap`. */
function openBench(wrap: (store: Store) => Store = (store) => store): Bench {
  const first = openStore()
  const second = openStore({ database: first.file })
  return { handles: [wrap(first), wrap(second)], watch: plainConnection(first.file) }
}

/** The stream of events is on, so that each change is held against its event too. */
async function keepEvents({ handles: [store] }: Bench): Promise<void> {
  await store.commit([{ type: 'keep-events', limits: { maxCount: 1_000_000, maxAgeMs: null } }])
}

test.each(['free', 'gated'] as const)(
  `a store and the model agree after every commit of %s programs (REEVE_SEED=${seed})`,
  async (gating) => {
    const bench = openBench()
    await keepEvents(bench)
    const reached = new Set<string>()
    await fc.assert(
      fc.asyncProperty(programs('mixed', gating), (steps) => runProgram(bench, steps, reached)),
      { seed, numRuns },
    )
    // A property that never got there has not checked anything.
    if (numRuns < 100) return
    if (gating === 'gated') return expect([...reached]).toEqual(expect.arrayContaining(gatedSights))
    const crashes = ['crashed', 'suspect claimed', 'suspect skipped']
    // Steps, schedules and ties have properties of their own.
    const here = transitions.filter(({ from, by }) => from !== 'suspended' && !['suspend', 'wake', 'turn'].includes(by))
    for (const { from, to, by } of here) expect(reached).toContain(`${from} to ${to} by ${by}`)
    for (const outcome of ['found', 'written', 'conflict', 'listed', 'stale']) expect(reached).toContain(`key-value ${outcome}`)
    for (const answer of ['stale', 'already-over', 'not-found', 'cancel-requested', 'repeated', ...crashes])
      expect(reached).toContain(answer)
  },
  timeoutMs,
)

test(
  `a store and the model agree about ties between jobs (REEVE_SEED=${seed})`,
  async () => {
    const bench = openBench()
    await keepEvents(bench)
    const reached = new Set<string>()
    await fc.assert(
      fc.asyncProperty(programs('mixed', 'tied'), (steps) => runProgram(bench, steps, reached)),
      { seed, numRuns },
    )
    if (numRuns < 100) return
    for (const { to, by } of transitions.filter(({ from }) => from === 'suspended'))
      if (by !== 'turn' && by !== 'wake') expect(reached).toContain(`suspended to ${to} by ${by}`)
    const ties = ['existing', 'replaced', 'follow-up'].map((result) => `enqueued: ${result}`)
    const refusals = ['duplicate', 'dependency-missing', 'full'].map((reason) => `refused: ${reason}`)
    for (const happened of [...ties, ...refusals, 'child']) expect(reached).toContain(happened)
  },
  timeoutMs,
)

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
