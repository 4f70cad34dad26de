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

test('timers that are less than half a beat apart fire together', async () => {
  const { clock, coarse, log, note, wakes } = open()
  coarse.after(100, note('100'))
  coarse.after(115, note('115'))
  coarse.after(130, note('130'))
  await clock.advance(200)
  expect(log).toEqual(['100 at 100', '115 at 100', '130 at 130'])
  expect(wakes()).toBe(2)
})

test('an earlier timer that is armed later fires in its time', async () => {
  const { clock, coarse, log, note } = open()
  coarse.after(1_000, note('late'))
  coarse.after(40, note('early'))
  await clock.advance(2_000)
  expect(log).toEqual(['early at 40', 'late at 1000'])
})

test('a cancelled timer does not fire', async () => {
  const { clock, coarse, log, note } = open()
  coarse.after(500, note('never')).cancel()
  await clock.advance(10_000)
  expect(log).toEqual([])
})
