import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideRestart } from '../../src/restart-policy.ts'

const policy = { intensity: 2, periodMs: 1_000 }

test('so many restarts within the period are granted, and one more is not', () => {
  const first = decideRestart([], 0, policy)
  const second = decideRestart(first.history, 10, policy)
  expect([first.restart, second.restart]).toEqual([true, true])
  expect(decideRestart(second.history, 999, policy)).toEqual({ restart: false, history: [0, 10] })
})

test('a restart counts for exactly its period', () => {
  expect(decideRestart([0, 500], 999, policy).restart).toBe(false)
  expect(decideRestart([0, 500], 1_000, policy)).toEqual({ restart: true, history: [500, 1_000] })
})

test('an intensity of 0 grants none', () => {
  expect(decideRestart([], 0, { intensity: 0, periodMs: 1_000 }).restart).toBe(false)
})

test('no window of one period ever holds more restarts than the intensity', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(400), { maxLength: 60 }), fc.nat(5), (waits, intensity) => {
      let [now, history] = [0, [] as readonly number[]]
      const restarts: number[] = []
      for (const wait of waits) {
        now += wait
        const decision = decideRestart(history, now, { intensity, periodMs: 1_000 })
        history = decision.history
        if (decision.restart) restarts.push(now)
      }
      for (const end of restarts)
        expect(restarts.filter((at) => at <= end && end - at < 1_000).length).toBeLessThanOrEqual(intensity)
    }),
  )
})
