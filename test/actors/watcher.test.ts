import { expect, test } from 'vitest'
import { Watcher } from '../../src/actors/watcher.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { lease, ownerId } from '../support/store/commands.ts'

function open() {
  const clock = new ManualClock()
  const log: string[] = []
  const elsewhere = {
    changed: false,
    cancels: [] as ReturnType<typeof lease>[],
    tells: false,
    wrote(): void {},
    looks: 0,
  }
  const watcher = new Watcher({
    ...{ clock, owner: ownerId('ann') },
    store: {
      changedElsewhere: () => {
        const { changed } = elsewhere
        elsewhere.looks++
        elsewhere.changed = false
        return changed
      },
      onWrite: (wrote) => {
        if (!elsewhere.tells) return null
        elsewhere.wrote = wrote
        return () => void log.push('waits no more')
      },
      cancelRequests: async (owner) => {
        log.push(`asked for the cancels of ${owner}`)
        return elsewhere.cancels
      },
    },
    changed: () => void log.push('changed'),
    jumped: (ms) => void log.push(`jumped ${ms}`),
    cancelRequested: ({ jobId, token }) => void log.push(`cancel ${jobId}/${token}`),
    failed: (error) => void log.push(`failed ${error}`),
  })
  return { clock, log, elsewhere, watcher }
}

test('while nobody else commits, nothing is read and nobody is woken', async () => {
  const { clock, log, watcher } = open()
  watcher.start()
  await clock.advance(10_000)
  expect(log).toEqual([])
})

test('a commit of another process is noticed within 40 ms, and its cancels are passed on first', async () => {
  const { clock, log, elsewhere, watcher } = open()
  watcher.start()
  await clock.advance(500)
  elsewhere.changed = true
  elsewhere.cancels = [lease('a', 3)]
  await clock.advance(40)
  expect(log).toEqual(['asked for the cancels of ann', 'cancel a/3', 'changed'])
})

test('after it was stopped it looks no more', async () => {
  const { clock, log, elsewhere, watcher } = open()
  watcher.start()
  watcher.stop()
  elsewhere.changed = true
  await clock.advance(1_000)
  expect(log).toEqual([])
})

test.each([86_400_000, -86_400_000])('a jump of the wall clock by %i ms is told of once, within 40 ms', async (ms) => {
  const { clock, log, watcher } = open()
  watcher.start()
  await clock.advance(500)
  clock.time.jumpWall(ms)
  await clock.advance(40)
  expect(log).toEqual([`jumped ${ms}`])
  await clock.advance(10_000)
  expect(log).toHaveLength(1)
})

test('a wall clock that is drawn along slowly is not taken for one that jumps', async () => {
  const { clock, log, watcher } = open()
  watcher.start()
  clock.time.jumpWall(900)
  await clock.advance(1_000)
  expect(log).toEqual([])
})

test('after a quiet second it looks seldom where a write is told of, and at once when one is', async () => {
  const { clock, log, elsewhere, watcher } = open()
  elsewhere.tells = true
  watcher.start()
  await clock.advance(1_040)
  elsewhere.looks = 0
  await clock.advance(10_000)
  expect(elsewhere.looks).toBeLessThanOrEqual(50)
  elsewhere.changed = true
  elsewhere.wrote()
  await clock.turns()
  expect(log).toEqual(['asked for the cancels of ann', 'changed'])
  elsewhere.looks = 0
  await clock.advance(400)
  expect(elsewhere.looks).toBe(10)
})

test('a write that was not told of is found all the same', async () => {
  const { clock, log, elsewhere, watcher } = open()
  elsewhere.tells = true
  watcher.start()
  await clock.advance(5_000)
  elsewhere.changed = true
  await clock.advance(200)
  expect(log).toContain('changed')
  watcher.stop()
})
