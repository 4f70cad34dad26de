import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isRefused, oldNode } from '../support/runtime/old-node.ts'
import { Scratch } from '../support/runtime/open-runtime.ts'
import { runProgram } from '../support/runtime/program.ts'

const sentence = /^REEVE_NODE_UNSUPPORTED Reeve needs Node\.js 22\.18 or later; this is \d+\.\d+\.\d+\. Install a current LTS\.$/

test('22.18 is the oldest version that is accepted', () => {
  expect(['18.0.0', '20.20.2', '22.17.9', '22.0.0'].map(isRefused)).toEqual([true, true, true, true])
  expect(['22.18.0', '22.19.1', '23.0.0', '24.21.0', '26.1.0'].map(isRefused)).toEqual([false, false, false, false, false])
})

const built = existsSync(new URL('../../dist/index.js', import.meta.url))
const node = oldNode()
const why = node === undefined ? 'this machine has no older Node.js' : built ? '' : 'the package is not built'

test.skipIf(why !== '')(`an older Node.js gets a sentence and makes no file${why && ` (skipped: ${why})`}`, async () => {
  using scratch = new Scratch()
  const end = await runProgram(new URL('./programs/old-node.mjs', import.meta.url), [scratch.database], { node: node ?? '' })
  expect(end).toEqual({ code: 0, signal: null, stdout: expect.stringMatching(/\n$/), stderr: '' })
  expect(end.stdout.trim()).toMatch(sentence)
  expect(existsSync(scratch.database)).toBe(false)
})
