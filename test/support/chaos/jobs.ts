/** What the processes of a chaos run work on: short bodies, and each way that a body can end badly. */
import { setTimeout as sleep } from 'node:timers/promises'
import { defineJobs, job } from '../../../src/index.ts'
import { Body } from './history.ts'

const retry = { attemptsMax: 5, backoff: { base: 5, max: 50 } } as const
const beatEveryMs = 5

/** What every job is given. */
export interface ChaosInput {
  readonly history: string
  readonly key: string
  readonly ms: number
}

/** Holds the thread and beats, until `ms` are over. */
function spin(body: Body, ms: number): void {
  const until = performance.now() + ms
  for (let next = 0; performance.now() < until; ) {
    if (performance.now() < next) continue
    body.beat()
    next = performance.now() + beatEveryMs
  }
}

export default defineJobs({
  quick: job({ retry, run: ({ history }: ChaosInput, ctx) => new Body(history, ctx).end() }),
  waits: job({
    retry,
    async run({ history, ms }: ChaosInput, ctx) {
      const body = new Body(history, ctx)
      for (let left = ms; left > 0; left -= beatEveryMs) {
        await sleep(beatEveryMs)
        body.beat()
      }
      return body.end()
    },
  }),
  computes: job({
    retry,
    run({ history, ms }: ChaosInput, ctx) {
      const body = new Body(history, ctx)
      spin(body, ms)
      return body.end()
    },
  }),
  /** Longer than a lease where it is stopped in between; heeds a cancel. */
  lasts: job({
    retry,
    async run({ history, ms }: ChaosInput, ctx) {
      const body = new Body(history, ctx)
      for (let left = ms * 10; left > 0 && !ctx.stopRequested; left -= 20) {
        await sleep(20)
        body.beat()
      }
      ctx.throwIfStopped()
      return body.end()
    },
  }),
  /** Is ended with its thread at its first attempt. */
  hangs: job({
    retry,
    timeout: 60,
    run({ history }: ChaosInput, ctx) {
      const body = new Body(history, ctx)
      if (ctx.attempt === 1) spin(body, Number.POSITIVE_INFINITY)
      return body.end()
    },
  }),
  /** Ends its thread at its first attempt. */
  exits: job({
    retry,
    run({ history }: ChaosInput, ctx) {
      const body = new Body(history, ctx)
      if (ctx.attempt === 1) process.exit(7)
      return body.end()
    },
  }),
  /** Throws where nobody awaits it, at its first attempt. */
  throwsLate: job({
    retry,
    async run({ history }: ChaosInput, ctx) {
      const body = new Body(history, ctx)
      if (ctx.attempt === 1)
        setTimeout(() => {
          throw new Error('nobody awaits this')
        })
      await sleep(beatEveryMs)
      return body.end()
    },
  }),
  /** Fails every second attempt. */
  fails: job({
    retry,
    run({ history }: ChaosInput, ctx) {
      const body = new Body(history, ctx)
      if (ctx.attempt % 2 === 1) throw new Error('an odd attempt')
      return body.end()
    },
  }),
})
