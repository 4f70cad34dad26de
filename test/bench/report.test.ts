import { expect, test } from 'vitest'
import { compare } from '../../bench/comparisons.ts'
import { replaceBlock } from '../../bench/readme-block.ts'
import type { SampleName } from '../../bench/samples/all.ts'
import { median, quantile } from '../../bench/statistics.ts'

const taken = new Map<SampleName, readonly Readonly<Record<string, number>>[]>([
  ['piscina-noop', [{ jobsPerSecond: 30_000 }, { jobsPerSecond: 10_000 }, { jobsPerSecond: 20_000 }]],
  ['reeve-noop-process', [{ jobsPerSecond: 9_000 }, { jobsPerSecond: 1_000 }, { jobsPerSecond: 99_000 }]],
  ['reeve-noop-power', [{ jobsPerSecond: 5_000 }]],
])

test('a median is the middle value, or the mean of the middle two', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([9, 1, 5, 7])).toBe(6)
  expect(median([])).toBeNaN()
})

test('a quantile is the value below which that part of the values lies', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index)
  expect(quantile(values, 0.5)).toBe(51)
  expect(quantile(values, 0.99)).toBe(100)
  expect(quantile([7], 0.99)).toBe(7)
})

test('medians are compared, and an aim that is missed says so', () => {
  const [atProcess, atPower] = compare(taken)
  expect(atProcess).toMatchObject({ subjectMedian: 9_000, baselineMedian: 20_000, outcome: 0.45, met: true })
  expect(atPower).toMatchObject({ subjectMedian: 5_000, outcome: 0.25, met: false })
})

test('what was not taken is not compared', () => {
  expect(compare(taken).map(({ subject }) => subject)).toEqual(['reeve-noop-process', 'reeve-noop-power'])
})

test('the table goes between the marks of the README and nothing else changes', () => {
  const readme = 'before\n<!-- bench -->\nold\n<!-- /bench -->\nafter\n'
  expect(replaceBlock(readme, 'new')).toBe('before\n<!-- bench -->\nnew\n<!-- /bench -->\nafter\n')
  expect(() => replaceBlock('no marks', 'new')).toThrow('has no place for the table')
})
