import { expect, test } from 'vitest'
import { LeaseKeeper } from '../../src/actors/lease-keeper.ts'
import type { Lease } from '../../src/job/lease.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { StubCommitter } from '../support/sim/stub-store.ts'
import { lease, ownerId } from '../support/store/commands.ts'

function open(held: Lease[]) {
  const clock = new ManualClock()
  const committer = new StubCommitter()
  const lost: (readonly Lease[])[] = []
  const failures: unknown[] = []
  const keeper = new LeaseKeeper({
    ...{ committer, clock, owner: ownerId('ann'), leaseDurationMs: 9_000, leases: () => held },
    lost: (leases) => void lost.push(leases),
    failed: (error) => void failures.push(error),
  })
  return { clock, committer, keeper, lost, failures }
}

test('everything that is held is renewed three times within a lease', async () => {
  const { clock, committer, keeper } = open([lease('a', 1), lease('b', 4)])
  keeper.start()
  await clock.advance(2_999)
  expect(committer.submitted).toEqual([])
  await clock.advance(1)
  const [renewal] = committer.of('renew')
  expect(renewal).toMatchObject({ owner: 'ann', leases: [lease('a', 1), lease('b', 4)], leaseExpiresAt: clock.wall() + 9_000 })
  renewal?.answer({ type: 'renewed', lost: [] })
  await clock.advance(3_000)
  expect(committer.of('renew')).toHaveLength(2)
})

test('nothing is written while nothing is held', async () => {
  const { clock, committer, keeper } = open([])
  keeper.start()
  await clock.advance(60_000)
  expect(committer.submitted).toEqual([])
})

test('a lease that is not ours any more is told of; one that was settled meanwhile is not', async () => {
  const held = [lease('a', 1), lease('b', 1)]
  const { clock, committer, keeper, lost } = open(held)
  void keeper.renew()
  held.splice(1, 1)
  committer.of('renew')[0]?.answer({ type: 'renewed', lost: [lease('a', 1), lease('b', 1)] })
  await clock.turns()
  expect(lost).toEqual([[lease('a', 1)]])
})

test('it goes on after it was stopped and started again, once and not twice', async () => {
  const { clock, committer, keeper } = open([lease('a', 1)])
  keeper.start()
  keeper.stop()
  keeper.start()
  await clock.advance(3_000)
  expect(committer.of('renew')).toHaveLength(1)
  keeper.stop()
  committer.of('renew')[0]?.answer({ type: 'renewed', lost: [] })
  await clock.advance(60_000)
  expect(committer.of('renew')).toHaveLength(1)
})

test('a renewal that fails is reported', async () => {
  const { clock, committer, keeper, failures } = open([lease('a', 1)])
  keeper.start()
  await clock.advance(3_000)
  committer.of('renew')[0]?.fail('no')
  await clock.turns()
  expect(failures).toEqual(['no'])
})
