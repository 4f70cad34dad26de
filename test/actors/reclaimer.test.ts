import { expect, test } from 'vitest'
import { Reclaimer } from '../../src/actors/reclaimer.ts'
import { ReeveError } from '../../src/errors.ts'
import type { OwnerId } from '../../src/job/lease.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { silentLogger } from '../support/sim/sim-owner.ts'
import { StubCommitter } from '../support/sim/stub-store.ts'
import { ownerId } from '../support/store/commands.ts'

function open({ orphansGone = true } = {}) {
  const clock = new ManualClock()
  const committer = new StubCommitter()
  const others = new Map<OwnerId, 'alive' | 'dead'>()
  const log: string[] = []
  const orphansOf: OwnerId[] = []
  const reclaimer = new Reclaimer({
    ...{ committer, clock, logger: silentLogger, crashesMax: 3 },
    store: { otherOwners: async () => [...others.keys()] },
    presence: {
      owner: ownerId('ann'),
      sweep: () => undefined,
      isDead: (owner) => others.get(owner) === 'dead',
      forget: (owner) => {
        others.delete(owner)
        log.push(`forgot ${owner}`)
      },
    },
    endOrphans: async (owner) => {
      orphansOf.push(owner)
      return orphansGone
    },
    reclaimed: ({ jobs }) => void log.push(`took back ${jobs.map(({ id }) => id)}`),
    failed: (error) => void log.push(`failed ${error}`),
  })
  return { clock, committer, others, log, orphansOf, reclaimer }
}

const answer = { type: 'reclaimed', jobs: [{ id: 'a', kind: 'resize', state: 'ready', attempt: 1 }] } as never

test('the jobs of an owner that is proved dead are taken back at the start', async () => {
  const { clock, committer, others, log, reclaimer } = open()
  others.set(ownerId('bob'), 'dead')
  let started = false
  void reclaimer.start().then(() => (started = true))
  await clock.turns()
  expect(committer.of('reclaim')).toMatchObject([{ owner: 'bob', now: clock.wall(), crashesMax: 3 }])
  expect(started).toBe(false)
  committer.of('reclaim')[0]?.answer(answer)
  await clock.turns()
  expect(started).toBe(true)
  expect(log).toEqual(['took back a', 'forgot bob'])
})

test('a dead owner is forgotten only after the commit: until then its free lock is the proof', async () => {
  const { clock, others, log, reclaimer } = open()
  others.set(ownerId('bob'), 'dead')
  void reclaimer.look()
  await clock.turns()
  expect(log).toEqual([])
})

test('the jobs of an owner that lives are left alone, however often it looks', async () => {
  const { clock, committer, others, reclaimer } = open()
  others.set(ownerId('bob'), 'alive')
  await reclaimer.start()
  await clock.advance(60_000)
  expect(committer.submitted).toEqual([])
})

test('a death is noticed within 200 ms', async () => {
  const { clock, committer, others, reclaimer } = open()
  others.set(ownerId('bob'), 'alive')
  await reclaimer.start()
  await clock.advance(1_000)
  others.set(ownerId('bob'), 'dead')
  await clock.advance(200)
  expect(committer.of('reclaim')).toHaveLength(1)
})

test('a look that fails is reported', async () => {
  const { clock, committer, others, log, reclaimer } = open()
  await reclaimer.start()
  others.set(ownerId('bob'), 'dead')
  await clock.advance(200)
  committer.of('reclaim')[0]?.fail('no')
  await clock.turns()
  expect(log).toEqual(['failed no'])
})

test('a look that meets the lock of another connection is no failure: the next one goes on', async () => {
  const { clock, committer, others, log, reclaimer } = open()
  await reclaimer.start()
  others.set(ownerId('bob'), 'dead')
  await clock.advance(200)
  committer.of('reclaim')[0]?.fail(new ReeveError('REEVE_DATABASE_BUSY', 'busy'))
  await clock.advance(200)
  committer.of('reclaim')[1]?.answer(answer)
  await clock.turns()
  expect(log).toEqual(['took back a', 'forgot bob'])
})

test('the jobs of a dead owner are left alone while a child process of it may still live', async () => {
  const { clock, committer, others, log, orphansOf, reclaimer } = open({ orphansGone: false })
  others.set(ownerId('bob'), 'dead')
  void reclaimer.look()
  await clock.turns()
  expect(committer.of('reclaim')).toEqual([])
  expect(orphansOf).toEqual(['bob'])
  expect(log).toEqual([])
})
