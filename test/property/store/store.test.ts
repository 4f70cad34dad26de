/**
 * Any list of commands, from two handles on one file, does to a store exactly what it does to the model. The seed is taken
 * from REEVE_SEED and printed on failure, the number of runs from REEVE_RUNS.
 */
import { env } from 'node:process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { transitions } from '../../../src/job/state.ts'
import { quickSeed } from '../../support/seed.ts'
import { keepEvents, openBench } from './open-bench.ts'
import { programs } from './program.ts'
import { runProgram } from './runner.ts'

const seed = quickSeed
const numRuns = Number(env['REEVE_RUNS'] ?? 150)
/** A run takes some 20 ms; a slow machine gets ten times that. */
const timeoutMs = 30_000 + numRuns * 200
/** What programs with gates must have come to. */
const gatedSights = ['group claimed', 'met a full limit', 'told of a later time', 'paused', 'resumed', 'repeated']

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
