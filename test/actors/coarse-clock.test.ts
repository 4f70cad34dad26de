import { expect, test } from 'vitest'
import { coarseClock } from '../../src/clock.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'

function open() {
  const clock = new ManualClock()
  const log: string[] = []
  let wakes = 0
  const counted = {
    ...clock,
    after: (ms: number, fire: () => void) => {
      wakes++
      return clock.after(ms, fire)
    },
  }
  const coarse = coarseClock(counted)
  const note = (what: string) => () => void log.push(`${what} at ${clock.mono() - 1_000}`)
  return { clock, coarse, log, note, wakes: () => wakes }
}

test('timers fire on the beat nearest to their time, and all share one timer', async () => {
  const { clock, coarse, log, note, wakes } = open()
  coarse.after(40, note('40'))
  coarse.after(95, note('95'))
  coarse.after(105, note('105'))
  await clock.advance(200)
  expect(log).toEqual(['40 at 40', '95 at 80', '105 at 120'])
  expect(wakes()).toBe(3)
})

test('while nothing is armed it does not beat, and a cancelled timer does not fire', async () => {
  const { clock, coarse, log, note, wakes } = open()
  coarse.after(500, note('never')).cancel()
  await clock.advance(10_000)
  expect(wakes()).toBe(1)
  coarse.after(40, note('again'))
  await clock.advance(40)
  expect(log).toEqual(['again at 10040'])
})
