import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { filesOf, readProject, type Violation } from './support/tidy/project.ts'
import { rules } from './support/tidy/rules.ts'

const project = readProject(fileURLToPath(new URL('..', import.meta.url)))
const lines = (violations: readonly Violation[]) => violations.map(({ path, line, message }) => `${path}:${line} ${message}`)

test('the whole repository is read', () => {
  const paths = project.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['package.json', '.ci/run', 'src/errors.ts', 'test/tidy.test.ts']))
  expect(paths.filter((path) => path.includes('node_modules/'))).toEqual([])
})

for (const { name, check, bad, good } of rules) {
  describe(name, () => {
    test('holds for every file', () => {
      expect(lines(check(project))).toEqual([])
    })

    test('is a rule that can fail', () => {
      expect(bad.length).toBeGreaterThan(0)
      for (const example of bad) expect(lines(check(filesOf(example))), JSON.stringify(example)).not.toEqual([])
    })

    test('leaves near misses alone', () => {
      for (const example of good) expect(lines(check(filesOf(example))), JSON.stringify(example)).toEqual([])
    })
  })
}
