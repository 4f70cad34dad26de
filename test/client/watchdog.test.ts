import { expect, test } from 'vitest'
import { Watchdog } from '../../src/client/watchdog.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'

/** A watchdog over a cell that the test stamps. */
function openWatchdog() {
  const pulse = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const beats = new Int32Array(pulse)
  const clock = new ManualClock()
  const alarms: number[] = []
  const watchdog = new Watchdog({ pulse, clock, limitMs: 8_000, hung: (deafMs) => void alarms.push(deafMs) })
  return { clock, alarms, watchdog, beat: () => void Atomics.add(beats, 0, 1) }
}

/** Lets time pass in steps, as a loop that turns does. */
async function pass(clock: ManualClock, seconds: number, eachSecond: () => void = () => undefined): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    eachSecond()
    await clock.advance(1_000)
  }
}

test('a thread that stamps its cell is left alone, however long it lives', async () => {
  const { clock, alarms, beat } = openWatchdog()
  await pass(clock, 100, beat)
  expect(alarms).toEqual([])
})

test('a thread whose cell has not moved for the whole limit is told of once', async () => {
  const { clock, alarms, beat } = openWatchdog()
  await pass(clock, 3, beat)
  await pass(clock, 7)
  expect(alarms).toEqual([])
  await pass(clock, 20)
  expect(alarms).toHaveLength(1)
  expect(alarms[0]).toBeGreaterThanOrEqual(8_000)
})

test('time in which this thread itself stood still proves nothing', async () => {
  const { clock, alarms, beat } = openWatchdog()
  await pass(clock, 2, beat)
  // Its own timer comes a minute late, and finds that nothing was stamped meanwhile.
  clock.time.advance(60_000)
  await clock.turns()
  await pass(clock, 20, beat)
  expect(alarms).toEqual([])
})

test('a watchdog that was stopped says nothing more', async () => {
  const { clock, alarms, watchdog } = openWatchdog()
  watchdog.stop()
  await pass(clock, 20)
  expect(alarms).toEqual([])
})
