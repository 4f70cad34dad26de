import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import type { Runtime } from '../../src/index.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { answers, JobFolder, reeve } from '../support/runtime/job-folder.ts'
import { openRuntime, Scratch } from '../support/runtime/open-runtime.ts'

async function run(runtime: Runtime, kind: string): Promise<unknown> {
  return (await runtime.enqueue(kind, undefined)).result()
}

/** The reports of a runtime, one after the other. */
function reloadsOf(runtime: Runtime): () => Promise<object> {
  const log = new EventLog(runtime, ['reloaded', 'error'])
  let seen = 0
  return async () => {
    const { name, ...report } = await log.first((event) => log.all.indexOf(event) >= seen)
    seen = log.all.findIndex((_event, index) => index >= seen) + 1
    return name === 'reloaded' ? report : { failure: (report.error as Error).message }
  }
}

/** The next report that names any kind: a slow machine may spread one change over two reloads. */
async function nextChange(next: () => Promise<object>): Promise<object> {
  for (;;) {
    const report = await next()
    if ('failure' in report || Object.values(report).some((list) => (list as unknown[]).length > 0)) return report
  }
}

test('what is written, added and removed is taken up by itself', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, { 'a.ts': answers('1'), 'b.ts': answers('1') })
  await using runtime = await openRuntime(scratch, folder.url, { watch: true })
  const next = reloadsOf(runtime)
  folder.write({ 'a.ts': answers('2') })
  expect(await nextChange(next)).toMatchObject({ changed: ['a'] })
  expect(await run(runtime, 'a')).toBe('2')
  folder.write({ 'c.ts': answers('3') })
  expect(await nextChange(next)).toMatchObject({ added: ['c'] })
  expect(await run(runtime, 'c')).toBe('3')
  folder.write({ 'b.ts': null })
  expect(await nextChange(next)).toMatchObject({ removed: ['b'] })
  // As editors save: a file beside it, put into its place.
  writeFileSync(folder.file('a.ts~'), answers('4'))
  renameSync(folder.file('a.ts~'), folder.file('a.ts'))
  expect(await nextChange(next)).toMatchObject({ changed: ['a'] })
})

test('a change below the folder counts, also in a folder that is new', async () => {
  using scratch = new Scratch()
  const a = "import { word } from './lib/deep/word.ts'\nexport const run = () => word"
  const folder = new JobFolder(scratch, { 'a.ts': a, 'lib/deep/word.ts': "export const word = '1'" })
  await using runtime = await openRuntime(scratch, folder.url, { watch: true })
  const next = reloadsOf(runtime)
  folder.write({ 'lib/deep/word.ts': "export const word = '2'" })
  await next()
  expect(await run(runtime, 'a')).toBe('2')
  mkdirSync(folder.file('more'))
  await next()
  folder.write({ 'more/word.ts': "export const word = '3'" })
  await next()
  folder.write({ 'a.ts': a.replace('lib/deep', 'more') })
  expect(await nextChange(next)).toMatchObject({ changed: ['a'] })
  folder.write({ 'more/word.ts': "export const word = '4'" })
  await next()
  expect(await run(runtime, 'a')).toBe('4')
})

test('one module is watched as well, and a database beside it and node_modules below it wake nobody', async () => {
  using scratch = new Scratch()
  const module = scratch.file('jobs.ts')
  const text = (answer: string) =>
    `import { defineJobs, job } from '${reeve}'\nexport default defineJobs({ a: job({ run: () => '${answer}' }) })`
  writeFileSync(module, text('1'))
  mkdirSync(scratch.file('node_modules/package'), { recursive: true })
  mkdirSync(scratch.file('.git'))
  await using runtime = await openRuntime<never>(scratch, pathToFileURL(module), { watch: true })
  const next = reloadsOf(runtime)
  writeFileSync(scratch.file('node_modules/package/index.js'), '')
  writeFileSync(scratch.file('.git/hook.js'), '')
  writeFileSync(scratch.file('notes.md'), '')
  expect(await run(runtime, 'a')).toBe('1')
  writeFileSync(module, text('2'))
  // Nothing before it: the first reload is the one that this file has caused.
  expect(await next()).toMatchObject({ changed: ['a'] })
  expect(await run(runtime, 'a')).toBe('2')
})

test('what does not load is told of, the old code goes on, and the next change mends it', async () => {
  using scratch = new Scratch()
  const module = scratch.file('jobs.mjs')
  const text = (answer: string) =>
    `import { defineJobs, job } from '${reeve}'\nexport default defineJobs({ a: job({ run: () => '${answer}' }) })`
  writeFileSync(module, text('1'))
  await using runtime = await openRuntime<never>(scratch, pathToFileURL(module), { watch: true })
  const next = reloadsOf(runtime)
  writeFileSync(module, 'export default {{')
  expect(await nextChange(next)).toMatchObject({ failure: expect.stringContaining('SyntaxError') })
  expect(await run(runtime, 'a')).toBe('1')
  writeFileSync(module, text('2'))
  expect(await nextChange(next)).toMatchObject({ changed: ['a'] })
})

test('a folder that goes and comes back is found again', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, { 'a.ts': answers('1') })
  await using runtime = await openRuntime(scratch, folder.url, { watch: true })
  const next = reloadsOf(runtime)
  rmSync(folder.path, { recursive: true })
  expect(await nextChange(next)).toMatchObject({ failure: expect.any(String) })
  expect(await run(runtime, 'a')).toBe('1')
  mkdirSync(folder.path)
  folder.write({ 'a.ts': answers('2') })
  for (let report = {}; !('changed' in report); ) report = await nextChange(next)
  expect(await run(runtime, 'a')).toBe('2')
})
