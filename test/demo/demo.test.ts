import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildIfStale } from '../support/built-package.ts'
import { startNode } from '../support/node-program.ts'

const scratch = mkdtempSync(join(tmpdir(), 'reeve-test-demo-'))
const files = join(scratch, 'files')
const fileCount = 160

beforeAll(() => {
  buildIfStale()
  writeFiles()
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

test('the tour runs a job for each file and shows how each bad job was dealt with', async () => {
  const { code, output } = await demo().end
  expect(output).toMatch(/^160 files of .*, one job each, on 2 worker threads$/m)
  expect(output).toMatch(/^ *160 of 160 jobs$/m)
  expect(output).toMatch(/all 160 files +│ +[\d,]+ │/)
  expect(output).toMatch(/runaway .* discarded +│ 1 +│ REEVE_ATTEMPT_TIMED_OUT +│ over [1-9]\d{3} ms after its claim/)
  expect(output).toMatch(/flaky .* completed +│ 3 +│ ELINEBUSY, ELINEBUSY +│ worked at attempt 3/)
  expect(output).toMatch(/deaf .* cancelled +│ 1 +│ REEVE_JOB_CANCELLED +│ over ([5-9]\d\d|[1-9]\d{3}) ms after cancel/)
  expect(output).toMatch(/163 jobs in .* event-loop delay: p50 .* ms, p99 .* ms, max .* ms/)
  expect(code).toBe(0)
})

test('the crash demo is killed in the middle, and its verdict is good', async () => {
  const { code, output } = await demo('--crash').end
  expect(output).toContain('Killed. In the database:')
  expect(output).toContain('160 jobs were acknowledged; 160 have completed.')
  expect(output).toMatch(/^(8|9|1\d)\d had settled at the kill; 0 of them ran again\.$/m)
  expect(output).toContain('VERDICT: good.')
  expect(code).toBe(0)
})

test('Ctrl-C closes the tour, and its database with it', async () => {
  const program = demo()
  await program.seen('16 of 160 jobs')
  program.child.kill('SIGINT')
  const { code, output } = await program.end
  expect(output).toContain('Closing')
  expect(output).not.toContain('Error')
  expect(code).toBe(130)
})

test('no run leaves a folder behind', () => {
  expect(readdirSync(scratch)).toEqual(['files'])
})

function demo(...options: string[]) {
  return startNode(['demo/main.ts', '--folder', files, '--threads', '2', ...options], { env: { TMPDIR: scratch } })
}

/** Words in an order that hardly repeats, so that to pack them takes some milliseconds. */
function writeFiles(): void {
  mkdirSync(files)
  for (let n = 0; n < fileCount; n++) {
    const words = Array.from({ length: 3_000 }, (_, index) => ((index * 7_919 + n * 104_729) ** 2 % 1_679_616).toString(36))
    writeFileSync(join(files, `${n}.txt`), words.join(' ').slice(0, 20_000))
  }
}
