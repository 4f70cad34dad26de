import { expect, test } from 'vitest'
import { OverdueWatch } from '../../src/actors/overdue-watch.ts'
import type { OverdueOwner } from '../../src/persistence/presence.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { silentLogger } from '../support/sim/sim-owner.ts'
import { ownerId } from '../support/store/commands.ts'

function open() {
  const clock = new ManualClock()
  const told: string[] = []
  const world = { late: [] as OverdueOwner[] }
  const watch = new OverdueWatch({
    ...{ clock, owner: ownerId('ann'), logger: silentLogger },
    store: { overdueOwners: async () => world.late },
    overdue: ({ code, message }) => void told.push(`${code}: ${message}`),
  })
  const isLate = (lateMs: number) => {
    world.late = [{ owner: ownerId('bob'), jobs: 2, expiredAt: clock.wall() - lateMs }]
  }
  return { told, world, watch, isLate }
}

test('an owner whose leases ran out is told of once, with how late it is', async () => {
  const { told, watch, isLate } = open()
  isLate(2_000)
  for (const _ of [1, 2, 3, 4]) await watch.look()
  expect(told).toEqual([expect.stringMatching(/^REEVE_SUPERVISOR_OVERDUE: Supervisor bob holds 2 jobs .* up to 2s ago/)])
})

test('one that is late at one look only is not told of: after a jump of the clock everybody is', async () => {
  const { told, world, watch, isLate } = open()
  isLate(86_400_000)
  await watch.look()
  world.late = []
  await watch.look()
  expect(told).toEqual([])
})

test('one that has caught up and falls behind again is told of again', async () => {
  const { told, world, watch, isLate } = open()
  for (const _ of [1, 2]) {
    isLate(1_000)
    await watch.look()
    await watch.look()
    world.late = []
    await watch.look()
  }
  expect(told).toHaveLength(2)
})
