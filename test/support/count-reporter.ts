/**
 * Prints the last line of a test run: `N passed, N failed`, alone on its line. What fails outside a test (a file that
 * does not load, a hook, an error that nobody awaited) and a test that never ended count as failed.
 */
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** Counts each module's tests, plus one failure for each error that belongs to no test. */
function countTests(
  modules: readonly TestModule[],
  unhandled: readonly SerializedError[],
): Record<'passed' | 'failed' | 'skipped', number> {
  const count = { passed: 0, failed: unhandled.length, skipped: 0 }
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      count[state === 'pending' ? 'failed' : state]++
    }
    count.failed += module.errors().length
    for (const suite of module.children.allSuites()) count.failed += suite.errors().length
  }
  return count
}

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const { passed, failed, skipped } = countTests(modules, unhandled)
    if (skipped > 0) console.log(`${skipped} skipped`)
    console.log(`${passed} passed, ${failed} failed`)
  }
}
