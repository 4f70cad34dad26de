import { expect, test } from 'vitest'
import { Pruner } from '../../src/actors/pruner.ts'
import { ReeveError } from '../../src/errors.ts'
import { retentionDefaults } from '../../src/job/retention.ts'
import type { PruneAnswer, PruneCommand } from '../../src/persistence/commands/prune.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { silentLogger } from '../support/sim/sim-owner.ts'

function open(bounds = retentionDefaults) {
  const clock = new ManualClock()
  const slices: PruneCommand[] = []
  const world = {
    answers: [] as PruneAnswer[],
    error: null as Error | null,
    shrinks: 0,
    onSlice: () => {},
    failed: [] as unknown[],
  }
  const submit = async (command: PruneCommand): Promise<PruneAnswer> => {
    slices.push(command)
    if (world.error !== null) throw world.error
    world.onSlice()
    return world.answers.shift() ?? { type: 'pruned', count: 0, next: null }
  }
  const pruner = new Pruner({
    ...{ clock, logger: silentLogger, owner: 'ann', bounds },
    committer: { submit: submit as never },
    store: { shrink: async () => world.shrinks-- > 0 },
    failed: (error) => world.failed.push(error),
  })
  pruner.start()
  return { clock, slices, world, pruner }
}

test('a pass looks at each state that is over, soon after the start and then once a minute', async () => {
  const { clock, slices } = open()
  await clock.advance(5_000)
  await clock.advance(1_000)
  expect(slices.map(({ state }) => state)).toEqual(['completed', 'cancelled', 'discarded'])
  await clock.advance(58_000)
  expect(slices).toHaveLength(3)
  await clock.advance(3_000)
  expect(slices.length).toBeGreaterThan(3)
  expect(new Set(slices.map(({ page }) => page)).size).toBe(slices.length)
})

test('a slice goes on where the last one ended, after a rest', async () => {
  const { clock, slices, world } = open()
  const next = { settledAt: 5, seq: 7, seen: [1, 500] }
  world.answers.push({ type: 'pruned', count: 500, next })
  await clock.advance(5_000)
  expect(slices).toHaveLength(1)
  await clock.advance(49)
  expect(slices).toHaveLength(1)
  await clock.advance(1)
  expect(slices[1]).toMatchObject({ state: 'completed', cursor: next })
})

test('no slice begins after a stop, and a new start begins a new pass', async () => {
  const { clock, slices, pruner } = open()
  await clock.advance(5_000)
  pruner.stop()
  await clock.advance(600_000)
  expect(slices).toHaveLength(1)
  pruner.start()
  await clock.advance(6_000)
  expect(slices.length).toBeGreaterThan(1)
})

test('a slice that is under way at a stop is the last one', async () => {
  const { clock, slices, world, pruner } = open()
  const next = { settledAt: 5, seq: 7, seen: [] }
  world.answers.push({ type: 'pruned', count: 500, next }, { type: 'pruned', count: 500, next })
  world.onSlice = () => pruner.stop()
  await clock.advance(5_000)
  await clock.advance(600_000)
  expect(slices).toHaveLength(1)
})

test('a database that is busy or full is come back to; anything else is a failure', async () => {
  const { clock, slices, world } = open()
  world.error = new ReeveError('REEVE_DATABASE_FULL', 'no space')
  await clock.advance(5_000)
  await clock.advance(60_000)
  expect(slices).toHaveLength(2)
  expect(world.failed).toEqual([])
  world.error = new TypeError('a bug')
  await clock.advance(60_000)
  expect(world.failed).toEqual([world.error])
})

test('without a rule nothing is pruned', async () => {
  const { clock, slices } = open([])
  await clock.advance(600_000)
  expect(slices).toEqual([])
})
