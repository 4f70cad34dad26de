import { expect, test } from 'vitest'
import { Waker } from '../../src/actors/waker.ts'
import { ReeveError } from '../../src/errors.ts'
import type { SettleAnswer } from '../../src/persistence/commands/settle.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'
import { StubCommitter } from '../support/sim/stub-store.ts'

/** A waker over a store whose timers a test sets. */
function open() {
  const clock = new ManualClock()
  const committer = new StubCommitter()
  const waits = { nextWakeAt: null as number | null, forJobs: false }
  const told = { woke: 0, failed: [] as unknown[] }
  const waker = new Waker({
    store: { pendingWaits: async () => ({ ...waits }) },
    committer,
    clock,
    woke: () => told.woke++,
    failed: (error) => told.failed.push(error),
  })
  const settled = (state: Extract<SettleAnswer, { type: 'settled' }>['state']) =>
    waker.settled({} as never, { type: 'settled', state, runAt: 0 })
  return { clock, committer, waits, told, waker, settled }
}

test('it wakes what is due when its time comes, and not before', async () => {
  const { clock, committer, waits, told, waker } = open()
  waits.nextWakeAt = clock.wall() + 5_000
  waker.start()
  await clock.advance(4_999)
  expect(committer.of('wake')).toEqual([])
  await clock.advance(1)
  const [wake] = committer.of('wake')
  expect(wake?.now).toBe(clock.wall())
  wake?.answer({ type: 'woken', nextWakeAt: null })
  await clock.advance(0)
  expect(told).toEqual({ woke: 1, failed: [] })
})

test('many that are due at once are woken in several commits, each told of', async () => {
  const { clock, committer, waits, told, waker } = open()
  waits.nextWakeAt = clock.wall() - 10
  waker.start()
  await clock.advance(0)
  committer.of('wake')[0]?.answer({ type: 'woken', nextWakeAt: clock.wall() - 5 })
  await clock.advance(0)
  expect(committer.of('wake')).toHaveLength(2)
  committer.of('wake')[1]?.answer({ type: 'woken', nextWakeAt: clock.wall() + 50 })
  await clock.advance(0)
  expect(told.woke).toBe(2)
  waits.nextWakeAt = clock.wall() + 50
  await clock.advance(50)
  expect(committer.of('wake')).toHaveLength(3)
})

test('a job that is suspended later may have an earlier timer', async () => {
  const { clock, committer, waits, waker, settled } = open()
  waits.nextWakeAt = clock.wall() + 60_000
  waker.start()
  await clock.advance(0)
  waits.nextWakeAt = clock.wall() + 20
  settled('suspended')
  await clock.advance(20)
  expect(committer.of('wake')).toHaveLength(1)
})

test('the end of a job is told of only while some job waits for another', async () => {
  const { clock, waits, told, waker, settled } = open()
  waker.start()
  await clock.advance(0)
  settled('completed')
  expect(told.woke).toBe(0)
  waits.forJobs = true
  waker.look()
  await clock.advance(0)
  settled('ready')
  expect(told.woke).toBe(0)
  settled('completed')
  waker.handedBack({} as never, { type: 'settled', state: 'cancelled', runAt: 0 })
  expect(told.woke).toBe(2)
})

test('after a refusal it looks again, and a closing runtime is no failure', async () => {
  const { clock, committer, waits, told, waker } = open()
  waits.nextWakeAt = clock.wall()
  waker.start()
  await clock.advance(0)
  committer.of('wake')[0]?.fail(new ReeveError('REEVE_DATABASE_FULL', 'full'))
  await clock.advance(1_000)
  expect(committer.of('wake')).toHaveLength(2)
  committer.of('wake')[1]?.fail(new ReeveError('REEVE_RUNTIME_CLOSED', 'closed'))
  await clock.advance(5_000)
  expect(committer.of('wake')).toHaveLength(2)
  waker.look()
  await clock.advance(0)
  committer.of('wake')[2]?.fail(new Error('a bug'))
  await clock.advance(0)
  expect(told.failed).toEqual([new Error('a bug')])
})

test('once stopped it wakes nothing', async () => {
  const { clock, committer, waits, waker } = open()
  waits.nextWakeAt = clock.wall() + 10
  waker.start()
  await clock.advance(0)
  waker.stop()
  await clock.advance(1_000)
  expect(committer.submitted).toEqual([])
})
