/** The property itself, for the quick suite and the long one. */
import fc from 'fast-check'
import { Rig } from '../../support/sim/rig.ts'
import { plans, play } from './plan.ts'

/** Invariants that a hundred plans are sure to meet. */
export const guardsOften = [
  ...['running-iff-leased', 'token-grows-on-claim', 'holder-stable', 'one-live-lease', 'one-live-attempt', 'claim-precondition'],
  ...['renew-by-holder', 'settle-is-compare-and-set', 'no-word-from-the-dead', 'terminal-is-final', 'published-edges-only'],
  ...[
    'attempts-exact',
    'backoff-floor',
    'result-only-when-settled',
    'birth-immutable',
    'conservation',
    'lease-kept',
    'no-orphans',
  ],
  ...['nothing-dispatched-before-commit', 'cancel-waiting-is-immediate', 'cancel-running-decides-once', 'timeout-stops'],
  ...['limit-respected', 'drain-keeps', 'wake-not-lost', 'suspects-run-alone'],
] as const

/** Invariants that need a rarer course of events. */
export const guardsSeldom = ['settle-again-same-answer', 'cancel-is-delivered', 'neighbours-are-innocent'] as const

/**
 * Plays `numRuns` plans; throws with the seed and the shortest plan and order that break an invariant.
 * Returns how often each invariant had something to judge.
 */
export async function supervisorsKeepInvariants({
  seed,
  numRuns,
}: {
  seed: number
  numRuns: number
}): Promise<Map<string, number>> {
  const reached = new Map<string, number>()
  const rig = new Rig()
  try {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), plans, (scheduler, plan) => play(rig, scheduler, plan, { reached })),
      { seed, numRuns, interruptAfterTimeLimit: 500_000, markInterruptAsFailure: true },
    )
  } finally {
    await rig.close()
  }
  return reached
}
