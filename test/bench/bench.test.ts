import { beforeAll, expect, test } from 'vitest'
import { buildIfStale } from '../support/built-package.ts'
import { startNode } from '../support/node-program.ts'

beforeAll(buildIfStale)

test('a quick bench takes its samples, prints the comparison and writes no file', async () => {
  const { code, output } = await startNode(['bench/run.ts', '--quick', '--only', 'piscina-noop', 'reeve-noop-process']).end
  expect(output).toMatch(/piscina-noop +jobsPerSecond [\d,]+/)
  expect(output).toMatch(
    /\| throughput, `'process'` \| [\d,]+ jobs\/s \| [\d,]+ jobs\/s \(bare piscina\) \| \*\*\d\.\d\dx\*\* \|/,
  )
  expect(output).not.toContain('Written')
  expect(code).toBe(0)
})

test('a sample that does not exist is refused with the names of those that do', async () => {
  const { code, output } = await startNode(['bench/run.ts', '--only', 'nothing']).end
  expect(output).toContain('There are sqlite-process, sqlite-power, piscina-noop')
  expect(code).toBe(1)
})

test('a quick look at claims tells how each long backlog compares to a short one', async () => {
  const { code, output } = await startNode(['bench/claims.ts', '--quick']).end
  expect(output.match(/20,000 in [\d,]+ groups: [\d,]+, against 1,000 in [\d,]+ groups: [\d,]+: \d\.\d\dx/g)).toHaveLength(4)
  expect(code).toBe(0)
})
