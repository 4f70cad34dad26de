/** What the processes of a crash test run. Every body says when it begins and, where it comes so far, when it ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { defineJobs, type JobContext, job } from '../../../src/index.ts'
import { writeBody } from './diary.ts'

const retry = { attemptsMax: 4, backoff: { base: 5, max: 50 } } as const

interface Input {
  readonly diary: string
  readonly ms: number
}

async function body({ diary }: Input, ctx: JobContext, work: () => Promise<void> | void): Promise<number> {
  writeBody(diary, 'start', ctx)
  await work()
  writeBody(diary, 'end', ctx)
  return ctx.attempt
}

export default defineJobs({
  waits: job({ retry, run: (input: Input, ctx) => body(input, ctx, () => sleep(input.ms)) }),
  computes: job({
    retry,
    run: (input: Input, ctx) =>
      body(input, ctx, () => {
        const until = performance.now() + input.ms
        while (performance.now() < until);
      }),
  }),
  /** Fails at its first attempt, after its work. */
  failsFirst: job({
    retry,
    async run(input: Input, ctx) {
      await body(input, ctx, () => sleep(input.ms))
      if (ctx.attempt === 1) throw new Error('the first attempt fails')
      return ctx.attempt
    },
  }),
  /** Is ended with its thread at its first attempt. */
  overruns: job({
    retry,
    timeout: 40,
    run: (input: Input, ctx) =>
      body(input, ctx, () => {
        while (ctx.attempt === 1);
      }),
  }),
  /** Takes its process down, as a bug in a native module would. */
  deadly: job({
    retry: { attemptsMax: 3 },
    run(input: Input, ctx) {
      writeBody(input.diary, 'start', ctx)
      process.kill(process.pid, 'SIGKILL')
      for (;;);
    },
  }),
  /** Ends at its second attempt only. */
  secondOnly: job({
    retry,
    run(input: Input, ctx) {
      writeBody(input.diary, 'start', ctx)
      ctx.progress(0, 'here')
      return ctx.attempt === 1 ? new Promise<number>(() => {}) : ctx.attempt
    },
  }),
})
