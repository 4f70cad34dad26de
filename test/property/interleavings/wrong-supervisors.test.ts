/** Each wrong supervisor is rejected, and for the right reason. */
import { env } from 'node:process'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { quickSeed } from '../../support/seed.ts'
import { Broken } from '../../support/sim/history.ts'
import { Rig } from '../../support/sim/rig.ts'
import { plans, play } from './plan.ts'
import { wrongSupervisors } from './wrong-supervisors.ts'

const seed = quickSeed

test.each(wrongSupervisors)(`the property rejects a supervisor that $mistake (REEVE_SEED=${seed})`, async ({ wrong, breaks }) => {
  const rig = new Rig()
  onTestFinished(() => rig.close())
  const { failed, errorInstance, numRuns } = await fc.check(
    fc.asyncProperty(fc.scheduler(), plans, (scheduler, plan) => play(rig, scheduler, plan, { wrong })),
    { seed, numRuns: 400, endOnFailure: true },
  )
  if (env['REEVE_DEBUG']) console.log(breaks, numRuns, String(errorInstance).slice(0, 300))
  expect(failed).toBe(true)
  if (!(errorInstance instanceof Broken)) throw errorInstance
  expect(breaks).toContain(errorInstance.invariant)
})
