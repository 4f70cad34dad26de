/** Handlers that say how their attempt ends, and kinds with every way to try again. */
import { appendFileSync, readFileSync } from 'node:fs'
import { defineJobs, job, NonRetryableError } from '../../../src/index.ts'
import { passGate } from '../../support/runtime/gate.ts'

class GoneError extends NonRetryableError {}

/** As another copy of the package, or none of it, would throw it. */
const foreign = () => Object.assign(new RangeError('gone elsewhere'), { nonRetryable: true })

const atOnce = { attemptsMax: 3, backoff: 0 } as const

export default defineJobs({
  /** Snoozes until its file has so many lines, then returns how many there are. */
  snoozes: job({
    retry: { attemptsMax: 1 },
    run({ file, times, delay = 1 }: { file: string; times: number; delay?: number }, ctx) {
      const runs = appendAndCount(file)
      if (runs <= times) return ctx.snooze(delay)
      return { runs, attempt: ctx.attempt }
    },
  }),
  snoozesInACatch: job({
    run({ file }: { file: string }, ctx) {
      if (appendAndCount(file) > 1) return 'ran again'
      try {
        ctx.snooze(1)
      } catch {
        // Swallowed, as by a catch that means something else.
      }
      return 'went on all the same'
    },
  }),
  snoozesWithinAStep: job({
    async run({ file }: { file: string }, ctx) {
      return ctx.step.run(
        'ask',
        ({ attempt }) => {
          if (appendAndCount(file, String(attempt)) > 1) return 'asked'
          return ctx.snooze(1)
        },
        { retry: { attemptsMax: 5, backoff: 0 } },
      )
    },
  }),
  snoozesWhenStopped: job({
    async run({ gate }: { gate: string }, ctx) {
      await passGate(gate, () => ctx.progress(0.5, 'at the gate'), ctx.signal).catch(() => undefined)
      return ctx.snooze('1h')
    },
  }),
  wrongDelay: job({ retry: { attemptsMax: 1 }, run: (_input: undefined, ctx) => ctx.snooze('soon' as never) }),
  backsOff: job({ run: (_input: undefined, ctx) => ctx.backOff('1h') }),
  releases: job({ run: (_input: undefined, ctx) => ctx.releaseGroup('1h') }),
  discards: job({ run: (_input: undefined, ctx) => ctx.discard('nobody lives there') }),
  throws: job({
    retry: atOnce,
    run(what: 'non-retryable' | 'below' | 'foreign' | 'plain') {
      if (what === 'non-retryable') throw new NonRetryableError('gone', { cause: 404 })
      if (what === 'below') throw new GoneError('gone')
      throw what === 'foreign' ? foreign() : new Error('again')
    },
  }),
  stepThrows: job({
    retry: atOnce,
    run({ file }: { file: string }, ctx) {
      return ctx.step.run(
        'once',
        () => {
          appendAndCount(file)
          throw new NonRetryableError('no step can')
        },
        { retry: { attemptsMax: 5, backoff: 0 } },
      )
    },
  }),
  listed: job({
    retry: { attemptsMax: 4, backoff: [10, '30ms'] },
    run() {
      throw new Error('again')
    },
  }),
  asks: job({
    retry: {
      attemptsMax: 3,
      backoff: '1h',
      shouldRetry: (error) => (error as { code?: string }).code !== 'E_FINAL',
      retryDelay: async (attempt, error) => (error as { waits?: number }).waits ?? attempt * 5,
    },
    run({ code, waits }: { code?: string; waits?: number }) {
      throw Object.assign(new Error('no'), { code, waits })
    },
  }),
  asksBadly: job({
    retry: {
      attemptsMax: 2,
      backoff: 5,
      shouldRetry: () => {
        throw new TypeError('shouldRetry is broken')
      },
      retryDelay: () => -1,
    },
    run() {
      throw new Error('the real error')
    },
  }),
  hangs: job({
    timeout: '50ms',
    retry: { attemptsMax: 2, backoff: 5, retryDelay: () => '1h', shouldRetry: () => false },
    run() {
      for (;;);
    },
  }),
})

function appendAndCount(file: string, text = '.'): number {
  appendFileSync(file, text)
  return readFileSync(file, 'utf8').length
}
