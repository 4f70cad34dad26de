/**
 * Whatever the order of messages, timers, commits, exits and deaths, the supervisor keeps the published invariants. The
 * seed is taken from REEVE_SEED and printed on failure, the number of runs from REEVE_RUNS.
 */
import { env } from 'node:process'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { Rig } from '../../support/sim/rig.ts'
import { play, plans } from './plan.ts'

const seed = Number(env['REEVE_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const numRuns = Number(env['REEVE_RUNS'] ?? 150)

const rig = new Rig()
afterAll(() => rig.close())

test(`a supervisor keeps every invariant in any order of events (REEVE_SEED=${seed})`, async () => {
  const reached = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), plans, (scheduler, plan) => play(rig, scheduler, plan, { reached })),
    { seed, numRuns, ...(env['REEVE_PATH'] && { path: env['REEVE_PATH'] }), ...(env['REEVE_NOSHRINK'] && { endOnFailure: true }) },
  )
  if (env['REEVE_DEBUG']) console.log(Object.fromEntries(reached))
  expect(reached.size).toBeGreaterThan(0)
}, 120_000)
