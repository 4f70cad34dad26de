/** What the processes of a test run between them. A body tells of itself in a file, from whichever process it is in. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineJobs, job } from '../../../src/index.ts'

export default defineJobs({
  /** Takes its process down, whatever runs beside it. */
  poison: job({
    retry: { attemptsMax: 10 },
    run: async () => {
      // Long enough for its neighbours to be at work too.
      await sleep(20)
      process.kill(process.pid, 'SIGKILL')
    },
  }),
  innocent: job({ run: (ms: number) => sleep(ms) }),
  /** Ends at its second attempt only. */
  secondOnly: job({ run: (_input: undefined, ctx) => (ctx.attempt === 1 ? new Promise<void>(() => {}) : undefined) }),
  /** Ends when a file is there. */
  untilFile: job({
    async run(file: string) {
      while (!existsSync(file)) await sleep(10)
      return process.pid
    },
  }),
  writes: job({
    run(file: string, ctx) {
      appendFileSync(file, `${ctx.job.id} ${process.pid}\n`)
    },
  }),
  /** Its first attempt runs on and on in a child process; the second one looks whether that is still there. */
  apart: job({
    isolation: 'process',
    run(file: string, ctx) {
      if (ctx.attempt > 1 || existsSync(file)) return { first: Number(readFileSync(file, 'utf8')), second: process.pid }
      writeFileSync(file, String(process.pid))
      ctx.progress(null, 'at work')
      for (;;) Math.sqrt(2)
    },
  }),
  /** Its first attempt cannot be ended: it is in native code until a file is there. */
  unendable: job({
    timeout: '100ms',
    retry: { attemptsMax: 2, backoff: { base: 1, jitter: 0 } },
    run(file: string, ctx) {
      if (ctx.attempt === 1) execFileSync('sh', ['-c', `while [ ! -e "${file}" ]; do sleep 0.05; done`])
      return ctx.attempt
    },
  }),
  now: job({ run: () => Date.now() }),
  /** Holds a lock until its process dies. */
  holds: job({
    retry: { attemptsMax: 5 },
    run: (_input: undefined, ctx) =>
      ctx.lock('door', () => {
        if (ctx.attempt > 1) return
        ctx.progress(null, 'inside')
        return new Promise<void>(() => {})
      }),
  }),
})
