import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Each thread of a test loads its TypeScript anew. Without a cache each also starts the compiler that takes the types out, which is
// WebAssembly: that is half of a thread's start, and V8 has aborted a process in which many threads did it (docs/design/0004).
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url))

/**
 * Five suites, told apart by place and name: `features` (what the queue can do, each in whole runtimes; the demo and the bench), `crash` (processes that
 * are killed), `chaos` (everything at once, for a minute), `long` (`*.long.test.ts`) and `quick`, which is all the rest. A suite is
 * chosen with `--project`; the npm scripts do it.
 */
const features = [
  'test/files/**/*.test.ts',
  'test/cli/**/*.test.ts',
  'test/examples/**/*.test.ts',
  'test/{bench,demo}/**/*.test.ts',
  'test/lifecycle/{breaker,by-key,environment,event-stream,families,flows,inline,inline-groups,key-values,large-batch}.test.ts',
  'test/lifecycle/{limits,listing,locks,logs,outcomes,own-transaction,queue-depth,resources,schedules,stats}.test.ts',
  'test/lifecycle/{steering,steps,timings,unique}.test.ts',
]

const everywhere = {
  pool: 'forks',
  testTimeout: 30_000,
  hookTimeout: 30_000,
  teardownTimeout: 10_000,
  restoreMocks: true,
} as const

export default defineConfig({
  test: {
    // Each test file starts threads of its own; more files at a time than this only makes all of them late.
    maxWorkers: 2,
    reporters: ['default', './test/support/count-reporter.ts'],
    projects: [
      {
        test: {
          ...everywhere,
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: ['test/crash/**', 'test/chaos/**', '**/*.long.test.ts', ...features],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...everywhere,
          name: 'features',
          include: features,
          testTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...everywhere,
          name: 'crash',
          // The 200 kills are long, and CI is to run them.
          include: ['test/crash/**/*.test.ts', 'test/threads/runtime/leaks.long.test.ts'],
          exclude: ['test/crash/**/*.long.test.ts'],
          testTimeout: 60_000,
          // After the quick suite and one file at a time: these tests measure how long a recovery takes.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...everywhere,
          name: 'chaos',
          include: ['test/chaos/**/*.test.ts'],
          exclude: ['**/*.long.test.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          ...everywhere,
          name: 'long',
          include: ['test/**/*.long.test.ts'],
          testTimeout: 600_000,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
})
