import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildIfStale } from '../support/built-package.ts'
import { codeBlocks, readDocument, root } from '../support/markdown.ts'
import { startNode } from '../support/node-program.ts'

const blocks = codeBlocks(readDocument('README.md'), 'ts')
const [jobsFile = '', mainFile = '', ...recipes] = blocks

/** Inside the repository, where the package finds itself by its own name, and where git looks away. */
const home = join(root, 'coverage')
let folder: string

beforeAll(() => {
  buildIfStale()
  mkdirSync(home, { recursive: true })
  folder = mkdtempSync(join(home, 'readme-'))
  writeFileSync(join(folder, 'jobs.ts'), jobsFile)
  // Enough work to be killed in, and no more.
  writeFileSync(join(folder, 'main.ts'), mainFile.replace('10_000_000', '400_000'))
  recipes.forEach((recipe, index) => writeFileSync(join(folder, `recipe-${index}.ts`), recipe))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('two files of at most 25 lines in all are enough', () => {
  expect(jobsFile).toMatch(/^\/\/ jobs\.ts/)
  expect(mainFile).toMatch(/^\/\/ main\.ts/)
  expect(mainFile).toContain('10_000_000')
  expect(`${jobsFile}${mainFile}`.trimEnd().split('\n').length).toBeLessThanOrEqual(25)
})

test('every TypeScript block compiles against the package as it is published', async () => {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include: ['*.ts'] }))
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  expect(blocks.length).toBe(7)
  const { output, code } = await startNode([tsc, '-p', folder]).end
  expect(output).toBe('')
  expect(code).toBe(0)
})

test('kill -9 it, start it again: the job finishes', async () => {
  const first = startNode(['main.ts'], { cwd: folder })
  await first.seen('stored ')
  first.child.kill('SIGKILL')
  const killed = await first.end
  expect(killed.signal).toBe('SIGKILL')
  const [, id] = /^stored (\S+)$/m.exec(killed.output) ?? []
  expect(killed.output).not.toContain('attempt')

  const second = await startNode(['main.ts'], { cwd: folder }).end
  expect(second.output).toMatch(new RegExp(`^${id} attempt [12] [0-9a-f]{64}$`, 'm'))
  expect(second.output.match(/attempt/g)).toHaveLength(2)
  expect(second.code).toBe(0)
})

test('every kind of the recipes is one that defineJobs accepts', async () => {
  const files = recipes.flatMap((recipe, index) => (recipe.includes('defineJobs(') ? [`./recipe-${index}.ts`] : []))
  expect(files).toHaveLength(3)
  const program = `for (const file of ${JSON.stringify(files)}) console.log(...Object.keys((await import(file)).default.kinds))`
  const { output, code } = await startNode(['--input-type=module', '-e', program], { cwd: folder }).end
  expect(output).toBe('scan\ndownload count\nreport\n')
  expect(code).toBe(0)
})

test('a process that only enqueues does so, and ends by itself', async () => {
  const file = recipes.findIndex((recipe) => recipe.includes('threads: 0'))
  const { output, code } = await startNode([`recipe-${file}.ts`], { cwd: folder }).end
  expect(output).toContain('ready: 1')
  expect(code).toBe(0)
})
