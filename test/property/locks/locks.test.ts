/**
 * Any list of takings, releases, settles and deaths does to the locks of a store what it does to the model: one holder at most, gone
 * with what it hangs on. The seed is taken from REEVE_SEED and printed on failure.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quickSeed } from '../../support/seed.ts'
import { openStore } from '../../support/store/scratch.ts'
import { lockPrograms } from './program.ts'
import { type Bend, playLocks } from './runner.ts'

const seed = quickSeed
const numRuns = 150
const timeoutMs = 120_000

test(
  `locks do in a store what they do in the model (REEVE_SEED=${seed})`,
  async () => {
    const store = openStore()
    const reached = new Set<string>()
    await fc.assert(
      fc.asyncProperty(lockPrograms, (steps) => playLocks(store, steps, {}, reached)),
      { seed, numRuns },
    )
    for (const what of ['lock taken', 'lock busy', 'lock stale', 'lock repeated', 'unlock true', 'unlock false', 'died'])
      expect(reached).toContain(what)
  },
  timeoutMs,
)

let forged = 0

/** Each is wrong in one way, and must be told from a right one. */
const wrongStores: readonly { readonly mistake: string; readonly breaks: string; readonly bend: Bend }[] = [
  {
    mistake: 'keeps the lock of a handler when its attempt is over',
    breaks: 'lock-holder',
    bend: { lock: (command) => ({ ...command, lease: null }) },
  },
  {
    mistake: 'frees a lock by its name, whoever took it since',
    breaks: 'lock-holder',
    bend: { unlock: (command, last) => ({ ...command, taking: last ?? command.taking }) },
  },
  {
    mistake: 'knows no taking again',
    breaks: 'lock-holder',
    bend: { lock: (command) => ({ ...command, taking: `forged${++forged}` }) },
  },
  { mistake: 'holds past the ttl', breaks: 'lock-holder', bend: { lock: (command) => ({ ...command, expiresAt: null }) } },
]

test.each(wrongStores)(
  `the property rejects a store that $mistake (REEVE_SEED=${seed})`,
  async ({ bend, breaks }) => {
    const store = openStore()
    const told = await fc.check(
      fc.asyncProperty(lockPrograms, (steps) => playLocks(store, steps, bend, new Set())),
      { seed, numRuns, endOnFailure: true },
    )
    expect(told.failed).toBe(true)
    expect(String((told.errorInstance as Error | null)?.message)).toContain(breaks)
  },
  timeoutMs,
)
