/**
 * Where a property begins its search. The quick suite always plays the same cases, so that it fails for a change and not
 * for the day; the long suite draws a new seed each time. Both print it, and REEVE_SEED replays either.
 */
import { env } from 'node:process'

const fixed = 1

/** The seed of the quick suite. */
export const quickSeed = Number(env['REEVE_SEED'] ?? fixed)

/** The seed of the long suite. */
export const freshSeed = (): number => Number(env['REEVE_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
