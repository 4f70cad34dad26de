/** Handlers that fail in every way that a handler can. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { defineJobs, job } from '../../../../src/job/definition.ts'

class PaymentError extends Error {
  readonly orderId = 7
  readonly retryable = false
}

const positive: StandardSchemaV1<{ amount: number }, { amount: bigint }> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate(value) {
      const amount = (value as { amount?: unknown } | undefined)?.amount
      if (typeof amount === 'number' && amount > 0) return { value: { amount: BigInt(amount) } }
      return {
        issues: [
          { message: 'must be above zero', path: ['amount'] },
          { message: 'is wrong', path: [{ key: 'items' }, 0] },
        ],
      }
    },
  },
}

const throwing: StandardSchemaV1<unknown, unknown> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate() {
      throw new TypeError('the validator is broken')
    },
  },
}

export default defineJobs({
  nothing: job({ run: () => undefined }),
  echo: job({ run: (input: unknown) => input }),
  context: job({
    run: (_input: undefined, { job, attempt, attemptsMax, timeRemaining }) => ({
      job,
      attempt,
      attemptsMax,
      left: timeRemaining(),
    }),
  }),
  checked: job({ input: positive, run: ({ amount }) => amount * 2n }),
  brokenSchema: job({ input: throwing, run: () => 1 }),

  throwsNull: job({
    run: () => {
      throw null
    },
  }),
  throwsUndefined: job({ run: () => Promise.reject(undefined) }),
  throwsString: job({
    run: () => {
      throw 'no luck'
    },
  }),
  throwsUncloneable: job({
    run: () => {
      throw { why: 'odd', retry: () => {} }
    },
  }),
  throwsRich: job({
    run() {
      throw Object.assign(new PaymentError('card refused', { cause: new TypeError('no digits') }), { code: 'E_CARD' })
    },
  }),
  rejects: job({ run: () => Promise.reject(new RangeError('later')) }),
  returnsUncloneable: job({ run: () => ({ user: { onSave: () => {} } }) }),
  returnsHostile: job({
    run: () =>
      new Proxy(
        {},
        {
          getPrototypeOf: () => {
            throw null
          },
        },
      ),
  }),
  returnsTooMuch: job({ run: () => 'x'.repeat(2_000_000) }),

  exits: job({ run: () => process.exit(0) }),
  exitsWith3: job({ run: () => process.exit(3) }),
  exitsAfterReturning: job({
    run() {
      setImmediate(() => process.exit(0))
      return 'made it'
    },
  }),
  blocksThenExits: job({
    async run() {
      // In a microtask: what is put off to the next tick from here comes after the outcome, and before anything else.
      await Promise.resolve()
      process.nextTick(() => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
        process.exit(0)
      })
    },
  }),
  exitsMuchLater: job({ run: () => void setTimeout(() => process.exit(4), 20) }),
  throwsInTimer: job({
    async run(_input: undefined, ctx) {
      setTimeout(() => {
        throw new Error('nobody caught me')
      }, 1)
      ctx.progress(0, 'armed')
      await new Promise(() => {})
    },
  }),
  forgetsRejection: job({
    async run() {
      void Promise.reject(new Error('forgotten'))
      await new Promise(() => {})
    },
  }),
  throwsAfterReturning: job({
    run: () =>
      void setTimeout(() => {
        throw new Error('too late')
      }, 20),
  }),
  throwsWhenAsked: job({
    run() {
      const poll = setInterval(() => {
        if (process.env['REEVE_TEST_LATE'] !== 'yes') return
        clearInterval(poll)
        throw new Error('thrown in the time of another')
      }, 5)
    },
  }),
  asksForThrow: job({
    async run(_input: undefined, ctx) {
      ctx.progress(0, 'here')
      process.env['REEVE_TEST_LATE'] = 'yes'
      await new Promise(() => {})
    },
  }),
  talksAfterReturning: job({
    run(_input: undefined, ctx) {
      setImmediate(() => {
        ctx.progress(1, 'ghost')
        ctx.log.info('ghost')
      })
      return 'said'
    },
  }),

  forever: job({
    async run(_input: undefined, ctx) {
      ctx.progress(0, 'here')
      await new Promise(() => {})
    },
  }),
  spins: job({
    run(_input: undefined, ctx) {
      ctx.progress(0, 'here')
      for (;;);
    },
  }),
  native: job({
    run(marks: string) {
      execFileSync(process.execPath, [fileURLToPath(new URL('./slow-program.ts', import.meta.url)), marks])
    },
  }),
  hoards: job({
    run() {
      const kept: unknown[] = []
      for (;;) kept.push(new Array(10_000).fill(Math.random()))
    },
  }),
})
