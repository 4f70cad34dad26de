import { expect, test } from 'vitest'
import { EventLog } from '../support/runtime/event-log.ts'
import { answers, JobFolder, reeve } from '../support/runtime/job-folder.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'

test('each file of the folder is a kind of its name, whatever its form', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, {
    'typed.ts': 'export async function run(input: { n: number }): Promise<number> { return input.n + 1 }',
    'esm.mjs': answers('esm'),
    'commonTyped.cts': "exports.run = (): string => 'commonTyped'",
    'common.cjs': "module.exports = { run: () => 'common' }",
    'computed.cjs': "const all = { run: () => 'computed' }; Object.assign(module.exports, all)",
    'whole.ts': `import { job } from '${reeve}'\nexport default job({ run: () => 'whole' })`,
    'plain.mjs': "export default { run: () => 'plain', timeout: '1m' }",
  })
  await using runtime = await openRuntime(scratch, folder.url)
  const kinds = ['esm', 'common', 'commonTyped', 'computed', 'whole', 'plain']
  expect((await runtime.kinds()).toSorted()).toEqual([...kinds, 'typed'].toSorted())
  for (const kind of kinds) expect(await (await runtime.enqueue(kind, undefined as never)).result()).toBe(kind)
  expect(await (await runtime.enqueue('typed', { n: 1 } as never)).result()).toBe(2)
})

test('a folder is given by its path as well', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, { 'a.ts': answers('a') })
  await using runtime = await openRuntime(scratch, undefined, { jobs: folder.path })
  expect(await runtime.kinds()).toEqual(['a'])
})

test('a name that begins with _ or ., has a second dot or lies in a subfolder is no kind', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, {
    'a.ts': "import { word } from './lib/word.ts'\nimport { other } from './_other.ts'\nexport const run = () => word + other",
    'lib/word.ts': "export const word = 'one '",
    '_other.ts': "export const other = 'two'",
    '.hidden.ts': 'throw new Error("loaded")',
    'a.d.ts': 'export function run(): string',
    'a.test.ts': 'throw new Error("loaded")',
    'README.md': 'no code',
    'data.json': '{}',
  })
  await using runtime = await openRuntime(scratch, folder.url)
  expect(await runtime.kinds()).toEqual(['a'])
  expect(await (await runtime.enqueue('a', undefined as never)).result()).toBe('one two')
})

test('the exports of a file are its options', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, {
    'hangs.ts': "export const timeout = '50ms'\nexport const retry = { attemptsMax: 1 }\nexport function run() { for (;;); }",
    'own.ts': `import { resourceLimits } from 'node:worker_threads'
      export const memory = { heapMb: 96 }
      export const run = () => resourceLimits.maxOldGenerationSizeMb`,
    'child.ts': "export const isolation = 'process'\nexport const run = () => process.pid",
    'checked.ts': `const validate = (value) => (typeof value === 'string' ? { value: value.length } : { issues: [{ message: 'no text' }] })
      export const input = { '~standard': { version: 1, vendor: 'test', validate } }
      export const run = (length) => length`,
  })
  await using runtime = await openRuntime(scratch, folder.url)
  const run = async (kind: string, input?: unknown) => (await runtime.enqueue(kind, input as never)).result()
  expect(await rejection(run('hangs'))).toMatchObject({ attempt: 1, cause: { code: 'REEVE_ATTEMPT_TIMED_OUT' } })
  expect(await run('own')).toBe(96)
  expect(await run('child')).not.toBe(process.pid)
  expect(await run('checked', 'four')).toBe(4)
  expect(await rejection(run('checked', 4))).toMatchObject({ cause: { code: 'REEVE_INPUT_INVALID' } })
})

test.each([
  [
    'throws at its top level',
    "throw new Error('no password')",
    'REEVE_JOBS_UNLOADABLE',
    /could not be loaded: Error: no password/,
  ],
  ['does not parse', 'export const run = ((', 'REEVE_JOBS_UNLOADABLE', /SyntaxError/],
  ['imports what is not there', "import './nowhere.ts'", 'REEVE_JOBS_UNLOADABLE', /nowhere\.ts/],
  ['exports no handler', "export const word = 'a'", 'REEVE_JOBS_INVALID', /exports no handler: write `export function run/],
  ['has a handler that is none', 'export const run = 1', 'REEVE_JOBS_INVALID', /'bad' has no run function/],
  [
    'misspells an option',
    "export const tiemout = '1m'\nexport const run = () => 1",
    'REEVE_JOBS_INVALID',
    /'tiemout'.*'timeout' is/,
  ],
  ['misspells it by case', 'export const Retry = {}\nexport const run = () => 1', 'REEVE_JOBS_INVALID', /'Retry'.*'retry' is/],
  [
    'has a wrong option',
    "export const timeout = '3 parsecs'\nexport const run = () => 1",
    'REEVE_JOBS_INVALID',
    /'bad\.timeout' is/,
  ],
  [
    'has no schema for its input',
    'export const input = {}\nexport const run = () => 1',
    'REEVE_JOBS_INVALID',
    /no Standard Schema/,
  ],
  [
    'has options beside a whole job',
    `import { job } from '${reeve}'\nexport const timeout = '1m'\nexport default job({ run: () => 1 })`,
    'REEVE_JOBS_INVALID',
    /move 'timeout' into it/,
  ],
  [
    'exports a module of kinds',
    `import { defineJobs, job } from '${reeve}'\nexport default defineJobs({ a: job({ run: () => 1 }) })`,
    'REEVE_JOBS_INVALID',
    /what defineJobs returns/,
  ],
])('a file that %s is told of with its name and reason, and skips nothing else', async (_what, text, code, message) => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, { 'a.ts': answers('a'), 'bad.ts': text, 'z.ts': answers('z') })
  const lines: { file?: string; message: string }[] = []
  const note = (fields: object, said: string) => void lines.push({ ...fields, message: said })
  const logger = { level: 'error', trace: note, debug: note, info: note, warn: note, error: note, fatal: note }
  await using runtime = await openRuntime(scratch, folder.url, { threads: 2, logger })
  const log = new EventLog(runtime)
  expect((await log.first(({ name }) => name === 'error')).error).toMatchObject({ code, kind: 'bad' })
  expect(await runtime.kinds()).toEqual(['a', 'z'])
  const handle = await runtime.enqueue('bad', undefined as never)
  const { error } = await log.of('interrupted', handle.id)
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
  expect(error?.message).toContain(folder.file('bad.ts'))
  expect(await runtime.get(handle.id)).toMatchObject({ state: 'ready', attempt: 0 })
  for (const kind of ['a', 'z']) expect(await (await runtime.enqueue(kind, undefined as never)).result()).toBe(kind)
  // Two threads have found it out; it is said once.
  expect(lines.filter(({ file }) => file === folder.file('bad.ts'))).toHaveLength(1)
})

test('of two files with one name neither is taken', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, { 'a.js': answers('a'), 'twice.js': answers('js'), 'twice.ts': answers('ts') })
  await using runtime = await openRuntime(scratch, folder.url)
  expect(await runtime.kinds()).toEqual(['a'])
  expect((await runtime.reload()).failed).toEqual([
    {
      file: folder.file('twice.js'),
      error: expect.objectContaining({ message: expect.stringContaining('twice.js and twice.ts') }),
    },
  ])
})

test.each([
  ['ends its thread', 'process.exit(5)', /exit code 5/],
  ['rejects a promise that nobody awaits', "void Promise.reject(new Error('stray'))\nexport const run = () => 1", /stray/],
])('a file that %s while it loads is left out, and the others run', async (_what, text, message) => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, { 'a.ts': answers('a'), 'bad.ts': text, 'z.ts': answers('z') })
  await using runtime = await openRuntime(scratch, folder.url, { threads: 2 })
  expect(await runtime.kinds()).toEqual(['a', 'z'])
  expect(await (await runtime.enqueue('z', undefined as never)).result()).toBe('z')
  const log = new EventLog(runtime)
  const { error } = await log.of('interrupted', (await runtime.enqueue('bad', undefined as never)).id)
  expect(error?.message).toMatch(message)
  expect(error?.message).toContain(folder.file('bad.ts'))
})

test('a file whose timer throws after it was loaded is found by the stack of the error, and left out', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, {
    'a.ts': `setTimeout(() => { throw new Error('late') }, 20)\n${answers('a')}`,
    'b.ts': `await new Promise((resolve) => setTimeout(resolve, 200))\n${answers('b')}`,
    'c.ts': answers('c'),
  })
  await using runtime = await openRuntime(scratch, folder.url, { threads: 2 })
  expect(await runtime.kinds()).toEqual(['b', 'c'])
  const log = new EventLog(runtime)
  const { error } = await log.of('interrupted', (await runtime.enqueue('a', undefined as never)).id)
  expect(error?.message).toMatch(/a\.ts ended the worker .*late/)
})

test('a folder that cannot be used fails the start with a reason', async () => {
  using scratch = new Scratch()
  const start = (files: Record<string, string>, name: string) => openRuntime(scratch, new JobFolder(scratch, files, name).url)
  expect(await rejection(start({ 'README.md': '', '_a.ts': answers('a') }, 'empty'))).toMatchObject({
    code: 'REEVE_JOBS_INVALID',
    message: expect.stringMatching(/empty.* has no job file/),
  })
  expect(await rejection(start({ 'a.ts': 'throw 1', 'b.ts': 'throw 2' }, 'broken'))).toMatchObject({
    code: 'REEVE_JOBS_UNLOADABLE',
    message: expect.stringMatching(/None of the 2 job files .*a\.ts could not be loaded.*b\.ts could not be loaded/s),
  })
  expect(await rejection(openRuntime(scratch, undefined, { jobs: scratch.file('nowhere') }))).toMatchObject({
    code: 'REEVE_JOBS_UNLOADABLE',
    message: expect.stringMatching(/There is nothing at .*nowhere: 'jobs' is/),
  })
})
