/** Small handlers that most tests of the life of a job can use. */
import { appendFileSync } from 'node:fs'
import { defineJobs, job } from '../../../src/index.ts'
import { passGate } from '../../support/runtime/gate.ts'

export default defineJobs({
  echo: job({ run: (input: unknown) => input }),
  nothing: job({ run: () => undefined }),
  /** Waits until the test opens the gate; ends early where it is asked to stop. */
  gated: job({
    async run({ gate }: { gate: string }, ctx) {
      await passGate(gate, () => ctx.progress(0.5, 'at the gate'), ctx.signal)
      return 'through'
    },
  }),
  /** Succeeds at the given attempt, and tells of each one in a file. */
  succeedsAt: job({
    retry: { attemptsMax: 5, backoff: { base: 20, factor: 2, jitter: 0 } },
    run({ attempt, file }: { attempt: number; file?: string }, ctx) {
      if (file !== undefined) appendFileSync(file, `attempt ${ctx.attempt} of ${ctx.attemptsMax}\n`)
      if (ctx.attempt < attempt) throw Object.assign(new RangeError(`attempt ${ctx.attempt} is too early`), { code: 'E_EARLY' })
      return ctx.attempt
    },
  }),
  never: job({
    retry: { attemptsMax: 1 },
    run(_input: undefined, ctx) {
      ctx.progress(0, 'for ever')
      return new Promise<void>(() => {})
    },
  }),
  /** A loop that never awaits and looks whether it should stop. */
  politeLoop: job({
    run(_input: undefined, ctx) {
      ctx.progress(0, 'looping')
      while (!ctx.stopRequested);
      return 'stopped by itself'
    },
  }),
  /** A loop that looks at nothing. */
  rudeLoop: job({
    stopGrace: 100,
    run(_input: undefined, ctx) {
      ctx.progress(0, 'looping')
      for (;;);
    },
  }),
  where: job({ run: (_input: undefined, ctx) => ({ attempt: ctx.attempt, queue: ctx.job.queue, pid: process.pid }) }),
})
