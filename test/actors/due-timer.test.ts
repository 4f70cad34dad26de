import { expect, test } from 'vitest'
import { DueTimer } from '../../src/actors/due-timer.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'

function open() {
  const clock = new ManualClock()
  let woken = 0
  const timer = new DueTimer(clock, () => woken++)
  return { clock, timer, woken: () => woken }
}

test('it wakes its owner when the wall clock reaches the time, and not before', async () => {
  const { clock, timer, woken } = open()
  timer.set(clock.wall() + 5_000)
  await clock.advance(4_999)
  expect(woken()).toBe(0)
  await clock.advance(1)
  expect(woken()).toBe(1)
  await clock.advance(60_000)
  expect(woken()).toBe(1)
})

test('an earlier appointment replaces a later one, and a later one is ignored', async () => {
  const { clock, timer, woken } = open()
  timer.set(clock.wall() + 500)
  timer.set(clock.wall() + 100)
  timer.set(clock.wall() + 300)
  await clock.advance(100)
  expect(woken()).toBe(1)
  await clock.advance(1_000)
  expect(woken()).toBe(1)
})

test('a wall clock that jumps forward is noticed within a second', async () => {
  const { clock, timer, woken } = open()
  timer.set(clock.wall() + 3_600_000)
  await clock.advance(10)
  clock.time.jumpWall(3_600_000)
  await clock.advance(1_000)
  expect(woken()).toBe(1)
})

test('a wall clock that jumps back makes it wait for the time that was set', async () => {
  const { clock, timer, woken } = open()
  timer.set(clock.wall() + 500)
  clock.time.jumpWall(-10_000)
  await clock.advance(10_499)
  expect(woken()).toBe(0)
  await clock.advance(1)
  expect(woken()).toBe(1)
})

test('a cancelled appointment is forgotten, and a later one can be made after it', async () => {
  const { clock, timer, woken } = open()
  timer.set(clock.wall() + 100)
  timer.cancel()
  timer.set(clock.wall() + 200)
  await clock.advance(199)
  expect(woken()).toBe(0)
  await clock.advance(1)
  expect(woken()).toBe(1)
})

test('a time that has passed wakes its owner with the next timers', async () => {
  const { clock, timer, woken } = open()
  timer.set(clock.wall() - 1_000)
  expect(woken()).toBe(0)
  await clock.advance(0)
  expect(woken()).toBe(1)
})
