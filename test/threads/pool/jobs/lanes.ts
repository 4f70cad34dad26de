/** Kinds with threads or child processes of their own. */
import { resourceLimits, threadId } from 'node:worker_threads'
import { defineJobs, job } from '../../../../src/job/definition.ts'

// A kind's own threads are told by their limits: only those of `broken` refuse to load.
if (process.env['REEVE_TEST_LANE'] === 'broken' && resourceLimits.maxOldGenerationSizeMb === 48)
  throw new Error('no room for this kind')

const own = { memory: { heapMb: 96, stackMb: 8 } } as const
const child = { isolation: 'process' } as const

const threadOf = () => ({
  threadId,
  heapMb: resourceLimits.maxOldGenerationSizeMb,
  stackMb: resourceLimits.stackSizeMb,
})

const forever = async (_input: undefined, ctx: { progress(fraction: number, note: string): void }) => {
  ctx.progress(0, 'here')
  await new Promise(() => {})
}

export default defineJobs({
  threadOf: job({ run: threadOf }),
  roomy: job({ ...own, run: threadOf }),
  broken: job({ memory: { heapMb: 48 }, run: threadOf }),
  roomyStops: job({
    ...own,
    run(_input: undefined, ctx) {
      while (!ctx.stopRequested);
      return 'stopped'
    },
  }),
  forever: job({ run: forever }),
  roomyForever: job({ ...own, run: forever }),
  processForever: job({ ...child, run: forever }),
  processEcho: job({ ...child, run: (input: unknown) => input }),
  /** Buffers, which no limit of V8 counts. */
  hoardsBuffers: job({
    memory: { maxExternalMb: 64 },
    async run() {
      const kept: ArrayBuffer[] = []
      for (;;) {
        kept.push(new ArrayBuffer(1024 * 1024))
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    },
  }),
  /** Keeps what it took after it has returned. */
  leaksBuffers: job({
    memory: { maxExternalMb: 64 },
    run() {
      const holder = globalThis as { kept?: ArrayBuffer }
      const leaked = holder.kept !== undefined
      holder.kept = new ArrayBuffer(100 * 1024 * 1024)
      return leaked
    },
  }),
  hoardsHeap: job({
    memory: { heapMb: 32 },
    run() {
      const kept: unknown[] = []
      for (;;) kept.push(new Array(10_000).fill(Math.random()))
    },
  }),
  /** Much that is small, at once: with Node's own young generation this ended the process, on a busy machine each time. */
  hoardsQuickly: job({
    memory: { heapMb: 256 },
    run() {
      const kept: unknown[] = []
      for (;;) kept.push('x'.repeat(1000) + Math.random())
    },
  }),
})
