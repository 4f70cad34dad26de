import { expect, test } from 'vitest'
import { nearestName } from '../../src/job/nearest-name.ts'

const names = ['timeout', 'retry', 'memory', 'isolation', 'input']

test.each([
  ['timeuot', 'timeout'],
  ['timout', 'timeout'],
  ['TIMEOUT', 'timeout'],
  ['retyr', 'retry'],
  ['retri', 'retry'],
  ['isolate', null],
  ['memo', null],
  ['entry', null],
  ['layout', null],
  ['', null],
])('%s is taken for %s', (written, meant) => {
  expect(nearestName(written, names)).toBe(meant)
})
