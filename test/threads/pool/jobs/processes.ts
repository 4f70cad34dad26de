/** Handlers that only a child process survives, and handlers that start processes. */
import { execFileSync, spawn } from 'node:child_process'
import { defineJobs, job } from '../../../../src/job/definition.ts'

const tiny = { isolation: 'process' } as const

/** A program that does nothing for as long as a test could last. */
const idle = ['-e', 'setInterval(() => {}, 1e9)']

export default defineJobs({
  echo: job({ ...tiny, run: (input: unknown) => input }),
  whoAmI: job({ ...tiny, run: () => ({ pid: process.pid, parent: process.ppid }) }),
  aborts: job({ ...tiny, run: () => process.abort() }),
  segfaults: job({
    ...tiny,
    async run() {
      process.kill(process.pid, 'SIGSEGV')
      await new Promise(() => {})
    },
  }),
  /** Waits in native code for a program that tells its id, and then never ends. */
  hangsInNative: job({
    ...tiny,
    run(_input: undefined, ctx) {
      ctx.progress(0, String(process.pid))
      execFileSync(process.execPath, idle)
    },
  }),
  spins: job({
    ...tiny,
    run(_input: undefined, ctx) {
      ctx.progress(0, String(process.pid))
      for (;;);
    },
  }),
  forever: job({
    ...tiny,
    async run(_input: undefined, ctx) {
      ctx.progress(0, 'here')
      await new Promise(() => {})
    },
  }),
  disconnects: job({
    ...tiny,
    async run() {
      process.disconnect()
      await new Promise(() => {})
    },
  }),
  waitsForSignal: job({
    ...tiny,
    async run(_input: undefined, { signal, progress }) {
      progress(null, 'waiting')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw signal.reason
    },
  }),
  /** Buffers that are written to, so that the system really gives the memory. */
  hoardsBytes: job({
    ...tiny,
    async run() {
      const kept: Uint8Array[] = []
      for (;;) {
        kept.push(new Uint8Array(8 * 1024 * 1024).fill(1))
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
  }),

  /** Starts a process by `ctx.spawn`, tells its id, and does what it is told then. */
  spawns: job({
    async run(then: 'return' | 'throw' | 'hang' | 'spin' | 'exit', ctx) {
      const child = ctx.spawn(process.execPath, idle, { stdio: 'ignore' })
      ctx.progress(0, String(child.pid))
      if (then === 'throw') throw new Error('no')
      if (then === 'exit') process.exit(0)
      if (then === 'spin') for (;;);
      if (then === 'hang') await new Promise(() => {})
      return child.pid
    },
  }),
  /** Waits for what it has spawned. */
  spawnsAndWaits: job({
    async run(_input: undefined, ctx) {
      const child = ctx.spawn(process.execPath, ['-p', '6 * 7'])
      let said = ''
      child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()))
      await new Promise((resolve) => child.once('close', resolve))
      return said.trim()
    },
  }),
  /** As a handler does that knows nothing of `ctx.spawn`. */
  spawnsByItself: job({
    ...tiny,
    async run(_input: undefined, ctx) {
      const child = spawn(process.execPath, idle, { stdio: 'ignore' })
      ctx.progress(0, String(child.pid))
      await new Promise(() => {})
    },
  }),
})
