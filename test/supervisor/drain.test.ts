import { expect, test } from 'vitest'
import { drain } from '../../src/supervisor/drain.ts'
import { ManualClock } from '../support/sim/sim-clock.ts'

function open() {
  const clock = new ManualClock()
  const log: string[] = []
  let empty: () => void = () => undefined
  let idle: () => void = () => undefined
  const services = {
    clock,
    dispatcher: {
      drain: () => {
        log.push('drain')
        return new Promise<void>((resolve) => (empty = resolve))
      },
      interruptAll: () => void log.push('interrupt'),
    },
    scheduler: { stop: () => void log.push('no more ticks') },
    committer: { idle: () => new Promise<void>((resolve) => (idle = resolve)) },
  }
  const start = (timeoutMs: number) => void drain(services, timeoutMs).then(() => log.push('drained'))
  return { clock, log, start, empty: () => empty(), idle: () => idle() }
}

test('it is over when nothing runs and everything is committed', async () => {
  const { clock, log, start, empty, idle } = open()
  start(1_000)
  empty()
  await clock.turns()
  expect(log).toEqual(['no more ticks', 'drain'])
  idle()
  await clock.turns()
  expect(log).toEqual(['no more ticks', 'drain', 'drained'])
})

test('what still runs when the time is up is interrupted, and not before', async () => {
  const { clock, log, start } = open()
  start(1_000)
  await clock.advance(999)
  expect(log).toEqual(['no more ticks', 'drain'])
  await clock.advance(1)
  expect(log).toEqual(['no more ticks', 'drain', 'interrupt'])
})

test('a drain that was over in time interrupts nothing afterwards', async () => {
  const { clock, log, start, empty, idle } = open()
  start(1_000)
  empty()
  await clock.turns()
  idle()
  await clock.advance(5_000)
  expect(log).toEqual(['no more ticks', 'drain', 'drained'])
})

test('without a limit it waits for ever', async () => {
  const { clock, log, start } = open()
  start(Number.POSITIVE_INFINITY)
  await clock.advance(1e9)
  expect(log).toEqual(['no more ticks', 'drain'])
})
