/** Jumps of the wall clock, with the real actors on a clock that the test moves. */
import type { Scheduler } from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { Rig } from '../support/sim/rig.ts'
import { simConfig } from '../support/sim/sim-owner.ts'
import { type Judge, World } from '../support/sim/world.ts'

const day = 86_400_000
const nothing = () => undefined
const judge: Judge = {
  ...{ committed: nothing, handed: nothing, acknowledged: nothing },
  ...{ told: nothing, cancelAnswered: nothing, drained: nothing },
}

/** Everything happens in the order in which it was asked for. */
function inOrder(): Pick<Scheduler, 'schedule' | 'count' | 'waitNext'> {
  const queue: (() => void)[] = []
  return {
    schedule: <T>(task: Promise<T>) => new Promise<T>((resolve) => queue.push(() => resolve(task))),
    count: () => queue.length,
    waitNext: async () => queue.shift()?.(),
  }
}

async function open() {
  const rig = new Rig()
  onTestFinished(() => rig.close())
  const world = new World(rig, inOrder() as Scheduler, judge)
  const owner = world.startOwner()
  await world.releaseAll()
  /** Lets time pass in small steps, as it does. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 20) {
      world.time.advance(Math.min(left, 20))
      await world.releaseAll()
    }
  }
  const only = () => [...rig.snapshot().values()][0]
  return { world, owner, pass, only }
}

test.each([day, -day])(
  'after a jump of %i ms leases are renewed first, within a quarter of a second, and nobody is robbed',
  async (jump) => {
    const { world, owner, pass, only } = await open()
    world.enqueue(owner, ['obeys'], 0)
    await pass(100)
    world.startOwner()
    await pass(100)
    world.time.jumpWall(jump)
    await pass(250)
    const leftMs = (only()?.lease_expires_at ?? 0) - world.time.wall
    expect(leftMs).toBeGreaterThan(simConfig.leaseDurationMs - 500)
    expect(leftMs).toBeLessThanOrEqual(simConfig.leaseDurationMs)
    expect(only()).toMatchObject({ state: 'running', owner: owner.id, token: 1, crashes: 0 })
  },
)

test.each([day, -day])('a timeout counts the time that passes, whatever the wall clock says: %i ms', async (jump) => {
  const { world, owner, pass } = await open()
  world.enqueue(owner, ['obeys'], 0)
  await pass(200)
  world.time.jumpWall(jump)
  await pass(3_500)
  const [run] = world.history.runs
  expect(run?.stop).toBeNull()
  await pass(600)
  expect(run?.stop).toMatchObject({ reason: 'timeout' })
})

test('a job that the jump made due starts within a quarter of a second', async () => {
  const { world, owner, pass, only } = await open()
  world.enqueue(owner, ['returns'], day)
  await pass(2_000)
  expect(only()).toMatchObject({ state: 'ready', attempt: 0 })
  world.time.jumpWall(day)
  await pass(250)
  expect(only()).toMatchObject({ state: 'completed' })
})

test('a wall clock that was a day ahead and goes back loses no timer', async () => {
  const { world, owner, pass, only } = await open()
  world.time.jumpWall(day)
  await pass(100)
  world.time.jumpWall(-day)
  await pass(100)
  world.enqueue(owner, ['returns'], 400)
  await pass(390)
  expect(only()).toMatchObject({ state: 'ready' })
  await pass(100)
  expect(only()).toMatchObject({ state: 'completed' })
})
