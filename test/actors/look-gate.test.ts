import { expect, test } from 'vitest'
import { LookGate } from '../../src/actors/look-gate.ts'
import type { StackFrame } from '../../src/job/stack-frame.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'

/** A gate over an inspector whose looks end when the test says so. */
function open() {
  const clock = new ManualClock()
  const begun: number[] = []
  const ends: (() => void)[] = []
  const framesOf = (threadId: number) =>
    new Promise<readonly StackFrame[] | null | undefined>((resolve) => {
      begun.push(threadId)
      ends.push(() => resolve([]))
    })
  const killed: string[] = []
  const gate = new LookGate({ available: true, framesOf }, clock)
  const ending = (name: string) => gate.ending(() => void killed.push(name))
  const endLook = async () => {
    ends.shift()?.()
    await clock.turns()
  }
  return { clock, gate, begun, killed, ending, endLook }
}

test('with no look under way a thread is told to die at once', () => {
  const { ending, killed } = open()
  ending('a')
  expect(killed).toEqual(['a'])
})

test('a thread is told to die only when the last look is over', async () => {
  const { gate, ending, killed, endLook } = open()
  const looks = [gate.framesOf(1), gate.framesOf(2)]
  ending('a')
  await endLook()
  expect(killed).toEqual([])
  await endLook()
  expect(killed).toEqual(['a'])
  expect(await Promise.all(looks)).toEqual([[], []])
})

test('a look begins only when the last dying thread is gone', async () => {
  const { clock, gate, begun, ending } = open()
  const [a, b] = [ending('a'), ending('b')]
  void gate.framesOf(1)
  a()
  a()
  await clock.turns()
  expect(begun).toEqual([])
  b()
  await clock.turns()
  expect(begun).toEqual([1])
})

test('an end that begins in the turn in which a waiting look was let through waits for that look', async () => {
  const { clock, gate, ending, killed, endLook } = open()
  const gone = ending('a')
  void gate.framesOf(1)
  gone()
  ending('b')
  expect(killed).toEqual(['a'])
  await clock.turns()
  await endLook()
  expect(killed).toEqual(['a', 'b'])
})

test('looks that come while a kill waits do not put it off', async () => {
  const { clock, gate, begun, ending, killed, endLook } = open()
  void gate.framesOf(1)
  ending('a')
  void gate.framesOf(2)
  await clock.turns()
  expect(begun).toEqual([1])
  await endLook()
  expect(killed).toEqual(['a'])
})

test('a look that waited too long for a dying thread gives up, and nobody is looked at', async () => {
  const { clock, gate, begun, ending } = open()
  const gone = ending('a')
  const frames = gate.framesOf(1)
  await clock.advance(1_000)
  expect(await frames).toBeUndefined()
  gone()
  await clock.turns()
  expect(begun).toEqual([])
})
