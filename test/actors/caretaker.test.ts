import { expect, test } from 'vitest'
import { Caretaker } from '../../src/actors/caretaker.ts'
import { ReeveError } from '../../src/errors.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { silentLogger } from '../support/sim/sim-owner.ts'

const gone = new ReeveError('REEVE_DATABASE_DISPLACED', 'gone')

function open() {
  const clock = new ManualClock()
  const log: string[] = []
  const world = { commits: 0, error: null as ReeveError | null, checkpoint: async () => void log.push('checkpoint') }
  const caretaker = new Caretaker({
    ...{ clock, logger: silentLogger },
    store: { displaced: () => world.error, checkpoint: () => world.checkpoint() },
    committer: {
      get commits() {
        return world.commits
      },
      refuse: (error) => void log.push(error === null ? 'accepts' : 'refuses'),
    },
    overdueWatch: { look: async () => undefined },
    displaced: ({ code }) => void log.push(code),
    replaced: () => void log.push('goes on'),
    failed: (error) => void log.push(`failed ${error}`),
  })
  caretaker.start()
  return { clock, log, world, caretaker }
}

test('once the database file is gone, nothing new is accepted, and that is told once, within a second', async () => {
  const { clock, log, world } = open()
  await clock.advance(5_000)
  world.error = gone
  await clock.advance(1_000)
  expect(log).toEqual(['refuses', 'REEVE_DATABASE_DISPLACED'])
  await clock.advance(10_000)
  expect(log).toHaveLength(2)
})

test('when it is back in its place, all goes on', async () => {
  const { clock, log, world } = open()
  world.error = gone
  await clock.advance(1_000)
  world.error = null
  await clock.advance(1_000)
  expect(log.slice(2)).toEqual(['accepts', 'goes on'])
})

test('the log is folded back three quiet seconds after the last commit, once', async () => {
  const { clock, log, world } = open()
  for (let second = 1; second <= 6; second++) {
    world.commits++
    await clock.advance(1_000)
  }
  await clock.advance(2_000)
  expect(log).toEqual([])
  await clock.advance(1_000)
  expect(log).toEqual(['checkpoint'])
  await clock.advance(60_000)
  expect(log).toEqual(['checkpoint'])
})

test('a round that meets a lock is no failure; any other error is reported', async () => {
  const { clock, log, world } = open()
  world.commits++
  world.checkpoint = () => Promise.reject(new ReeveError('REEVE_DATABASE_BUSY', 'busy'))
  await clock.advance(10_000)
  expect(log).toEqual([])
  world.checkpoint = () => Promise.reject(new Error('bug'))
  await clock.advance(1_000)
  expect(log).toEqual(['failed Error: bug'])
})
