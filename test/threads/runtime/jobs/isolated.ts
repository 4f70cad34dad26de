/** Handlers that only a child process can be ended in, and one that starts a program. */
import { execFileSync } from 'node:child_process'
import { defineJobs, job } from '../../../../src/index.ts'

const child = { isolation: 'process' } as const
const minute = ['-e', 'setTimeout(() => {}, 60_000)']

export default defineJobs({
  onThread: job({ run: (input: number) => input }),
  hangsInNative: job({
    ...child,
    run(_input: undefined, ctx) {
      ctx.progress(0, String(process.pid))
      execFileSync(process.execPath, minute)
    },
  }),
  aborts: job({
    ...child,
    run(_input: undefined, ctx) {
      if (ctx.attempt === 1) process.abort()
      return `attempt ${ctx.attempt}`
    },
  }),
  segfaults: job({
    ...child,
    async run(_input: undefined, ctx) {
      if (ctx.attempt > 1) return `attempt ${ctx.attempt}`
      process.kill(process.pid, 'SIGSEGV')
      return new Promise<string>(() => {})
    },
  }),
  spawnsAndHangs: job({
    async run(_input: undefined, ctx) {
      const program = ctx.spawn(process.execPath, minute, { stdio: 'ignore' })
      ctx.progress(0, String(program.pid))
      await new Promise(() => {})
    },
  }),
})
