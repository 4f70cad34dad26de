import { readdirSync } from 'node:fs'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { buildIfStale } from '../support/built-package.ts'
import { type NodeProgram, startNode } from '../support/node-program.ts'
import { Scratch } from '../support/runtime/open-runtime.ts'

beforeAll(buildIfStale)

/** Starts the example on a day of its own choice. */
function startOn(day: string, scratch: Scratch): NodeProgram {
  const program = startNode(['--import', './test/examples/programs/other-day.ts', 'examples/nightly-report/main.ts'], {
    env: { SHIFT_MS: String(Date.parse(day) - Date.now()), NIGHTLY: scratch.database, REPORTS: scratch.folder },
  })
  onTestFinished(() => void program.child.kill('SIGKILL'))
  return program
}

async function stop(program: NodeProgram): Promise<string> {
  program.child.kill('SIGTERM')
  const { code, output } = await program.end
  expect(code).toBe(0)
  return output
}

const reportsIn = ({ folder }: Scratch) =>
  readdirSync(folder)
    .filter((name) => name.startsWith('report-'))
    .sort()

test('a process that was down for five nights makes up for the last three, one of which had no half past two, and says what it left out', async () => {
  using scratch = new Scratch()
  const before = startOn('2026-03-26T12:00:00Z', scratch)
  await before.seen('the next report is due at 2026-03-27T01:30:00.000Z')
  await stop(before)
  expect(reportsIn(scratch)).toEqual([])

  const after = startOn('2026-03-31T12:00:00Z', scratch)
  await after.seen('report of 2026-03-31, made up for')
  await stop(after)
  expect(reportsIn(scratch)).toEqual(['report-2026-03-29.txt', 'report-2026-03-30.txt', 'report-2026-03-31.txt'])

  const again = startOn('2026-03-31T12:10:00Z', scratch)
  await again.seen('left out')
  const output = await stop(again)
  expect(output).toContain('left out: 2 from 2026-03-27T01:30:00.000Z to 2026-03-28T01:30:00.000Z (catch-up-limit)')
  expect(output).not.toContain('report of')
}, 60_000)
