import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BreakerState, breakerAt, breakerChange, breakerSettings, nextBreaker } from '../../src/job/breaker.ts'
import { quickSeed as seed } from '../support/seed.ts'

const settings = { failures: 3, cooldownMs: 100, cooldownMaxMs: 350 }
const closed: BreakerState = { failures: 0, open: null }

/** Puts a breaker through attempts: a failure is 'x', a success 'o'; in capitals it is that of the job that was let through. */
function after(attempts: string, now = 1_000): BreakerState {
  const news = (letter: string) => ({ failed: letter.toLowerCase() === 'x', isTrial: letter !== letter.toLowerCase(), now })
  return [...attempts].reduce((state, letter) => nextBreaker(state, settings, news(letter)), closed)
}

test('it opens at the last of so many failures in a row, and a success between begins the count anew', () => {
  expect(after('xx')).toEqual({ failures: 2, open: null })
  expect(after('xxoxx')).toEqual({ failures: 2, open: null })
  expect(after('xxoxxx')).toEqual({ failures: 3, open: { until: 1_100, cooldownMs: 100 } })
})

test('each failure of the job that is let through doubles the cooldown, up to the bound; its success closes it', () => {
  expect(after('xxxX').open?.cooldownMs).toBe(200)
  expect(after('xxxXX').open?.cooldownMs).toBe(350)
  expect(after('xxxXXX').open?.cooldownMs).toBe(350)
  expect(after('xxxXXO')).toEqual(closed)
  expect(after('xxxXXOxxx').open?.cooldownMs).toBe(100)
})

test('whatever else ends while it is open changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('x', 'o', 'X', 'O'), maxLength: 40 }), fc.boolean(), (attempts, failed) => {
      const state = after(attempts)
      const next = nextBreaker(state, settings, { failed, isTrial: false, now: 5_000 })
      if (state.open !== null) expect(next).toBe(state)
      else expect(next.open !== null).toBe(failed && state.failures + 1 >= settings.failures)
      expect(state.open?.cooldownMs ?? 0).toBeLessThanOrEqual(settings.cooldownMaxMs)
    }),
    { seed },
  )
})

test('it tells when it opens, again too, and when it closes', () => {
  expect(breakerChange(after('xx'), after('xxx'))).toEqual({ type: 'opened', until: 1_100 })
  expect(breakerChange(after('xxx'), after('xxxX'))).toEqual({ type: 'opened', until: 1_200 })
  expect(breakerChange(after('xxx'), closed)).toEqual({ type: 'closed' })
  expect(breakerChange(after('x'), closed)).toBeNull()
  const open = after('xxx')
  expect(breakerChange(open, nextBreaker(open, settings, { failed: true, isTrial: false, now: 0 }))).toBeNull()
})

test('once its cooldown is over it is half open', () => {
  expect(breakerAt('k', after('x'), 0)).toEqual({ kind: 'k', state: 'closed', failures: 1, until: null })
  expect(breakerAt('k', after('xxx'), 1_099)).toMatchObject({ state: 'open', until: 1_100 })
  expect(breakerAt('k', after('xxx'), 1_100)).toMatchObject({ state: 'half-open', failures: 3 })
})

test('the cooldown is 30 s and at most 15 minutes, or no longer than it is', () => {
  expect(breakerSettings({ failures: 5 }, 'k')).toEqual({ failures: 5, cooldownMs: 30_000, cooldownMaxMs: 900_000 })
  expect(breakerSettings({ failures: 1, cooldown: '1h' }, 'k')).toMatchObject({ cooldownMaxMs: 3_600_000 })
})

test.each([
  ['k.breaker', null],
  ['k.breaker.failures', {}],
  ['k.breaker.failures', { failures: 0 }],
  ['k.breaker.cooldown', { failures: 1, cooldown: 0 }],
  ['k.breaker.cooldownMax', { failures: 1, cooldown: '2s', cooldownMax: '1s' }],
  ['k.breaker.colldown', { failures: 1, colldown: '2s' }],
])('an option that is not accepted is refused by its name: %s', (name, value) => {
  const refused = expect.objectContaining({
    code: 'REEVE_OPTION_INVALID',
    message: expect.stringContaining(`'${name}'`),
  })
  expect(() => breakerSettings(value, 'k.breaker')).toThrow(refused)
})
