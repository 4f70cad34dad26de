import { defineConfig } from 'vitest/config'

/**
 * Four suites, told apart by place and name: `crash` (processes that are killed), `chaos` (everything at once, for a minute),
 * `long` (`*.long.test.ts`) and `quick`, which is all the rest. A suite is chosen with `--project`; the npm scripts do it.
 */
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
          exclude: ['test/crash/**', 'test/chaos/**', '**/*.long.test.ts'],
          sequence: { groupOrder: 0 },
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
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...everywhere,
          name: 'chaos',
          include: ['test/chaos/**/*.test.ts'],
          exclude: ['**/*.long.test.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...everywhere,
          name: 'long',
          include: ['test/**/*.long.test.ts'],
          testTimeout: 600_000,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
