/** Handlers that hang in known places. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { defineJobs, job } from '../../../../src/index.ts'

/** Where the loop is; its line is looked for in the error. */
function innerLoop(): never {
  for (let turns = 0; ; turns++) Math.sqrt(turns)
}

export default defineJobs({
  loops: job({
    timeout: '300ms',
    retry: { attemptsMax: 1 },
    run(_: undefined, ctx) {
      ctx.progress(null, 'here')
      innerLoop()
    },
  }),
  blocks: job({
    timeout: '200ms',
    retry: { attemptsMax: 2, backoff: { base: 1, jitter: 0 } },
    run({ gate }: { gate: string }, ctx) {
      if (ctx.attempt > 1) return ctx.attempt
      ctx.progress(null, 'blocking')
      // A native call that nothing but its own end can stop: it waits until the test opens the gate.
      execFileSync('sh', ['-c', `while [ ! -e "${gate}" ]; do sleep 0.05; done`])
      return ctx.attempt
    },
  }),
  nothing: job({ run: () => existsSync('.') }),
})
