import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import type { Runtime } from '../../src/index.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { openGate } from '../support/runtime/gate.ts'
import { answers, JobFolder, reeve } from '../support/runtime/job-folder.ts'
import { openRuntime, rejection, Scratch } from '../support/runtime/open-runtime.ts'

const gate = new URL('../support/runtime/gate.ts', import.meta.url).href
const nothing = { added: [], changed: [], removed: [], failed: [] }

async function run(runtime: Runtime, kind: string): Promise<unknown> {
  return (await runtime.enqueue(kind, undefined)).result()
}

/** A handler that waits at a gate of its kind, and then returns its answer. */
function waits(kind: string, answer: string): string {
  return `import { passGate } from '${gate}'
    export async function run(_, ctx) {
      await passGate('${kind}', () => ctx.progress(0, 'at gate'))
      return '${answer}'
    }`
}

test('new, changed and removed files are taken up, and the report names them', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, { 'stays.ts': answers('1'), 'changes.ts': answers('1'), 'goes.ts': answers('1') })
  await using runtime = await openRuntime(scratch, folder.url, { threads: 2 })
  const log = new EventLog(runtime)
  expect(await run(runtime, 'changes')).toBe('1')
  expect(await runtime.reload()).toEqual(nothing)
  folder.write({ 'changes.ts': answers('2'), 'goes.ts': null, 'comes.ts': answers('2') })
  const report = await runtime.reload()
  expect(report).toEqual({ added: ['comes'], changed: ['changes'], removed: ['goes'], failed: [] })
  expect(await runtime.kinds()).toEqual(['changes', 'comes', 'stays'])
  for (let count = 0; count < 4; count++) {
    expect(await Promise.all(['changes', 'comes', 'stays'].map((kind) => run(runtime, kind)))).toEqual(['2', '2', '1'])
  }
  const gone = await runtime.enqueue('goes', undefined)
  expect((await log.of('interrupted', gone.id)).error).toMatchObject({ code: 'REEVE_KIND_UNKNOWN' })
  expect(log.all.filter(({ name }) => name === 'reloaded')).toEqual([
    { name: 'reloaded', ...nothing },
    { name: 'reloaded', ...report },
  ])
})

test('what runs ends on the old code, what starts after the reload runs on the new, and no job is lost', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, { 'slow.ts': waits('slow', 'old'), 'quick.ts': answers('old') })
  await using runtime = await openRuntime(scratch, folder.url, { threads: 2 })
  const log = new EventLog(runtime)
  const running = await Promise.all([runtime.enqueue('slow', undefined), runtime.enqueue('slow', undefined)])
  for (const { id } of running) await log.said(id, 'at gate')
  const waiting = await Promise.all([1, 2, 3].map(() => runtime.enqueue('quick', undefined)))
  folder.write({ 'slow.ts': waits('slow', 'new'), 'quick.ts': answers('new') })
  // Every thread has a run: it resolves all the same.
  expect(await runtime.reload()).toMatchObject({ changed: ['quick', 'slow'] })
  expect(await runtime.load()).toMatchObject({ running: 2, threads: 3 })
  openGate('slow')
  expect(await Promise.all(running.map((handle) => handle.result()))).toEqual(['old', 'old'])
  expect(await Promise.all(waiting.map((handle) => handle.result()))).toEqual(['new', 'new', 'new'])
  // Every thread at once.
  const after = await Promise.all([runtime.enqueue('slow', undefined), runtime.enqueue('slow', undefined)])
  for (const { id } of after) await log.said(id, 'at gate')
  openGate('slow')
  expect(await Promise.all(after.map((handle) => handle.result()))).toEqual(['new', 'new'])
  expect(log.all.filter(({ name }) => name === 'interrupted' || name === 'retrying')).toEqual([])
  expect(await runtime.check()).toEqual([])
})

test('reloads in the middle of much work lose no job, and run none twice', async () => {
  using scratch = new Scratch()
  const counts = (version: number) => `export const run = (n) => [n, ${version}]`
  const folder = new JobFolder(scratch, { 'counts.ts': counts(0) })
  await using runtime = await openRuntime(scratch, folder.url, { threads: 2 })
  const log = new EventLog(runtime, ['started', 'retrying', 'interrupted', 'error'])
  const handles = []
  for (let version = 1; version <= 4; version++) {
    const inputs = Array.from({ length: 50 }, (_, index) => ({ kind: 'counts', input: (version - 1) * 50 + index }) as never)
    handles.push(...(await runtime.enqueueMany(inputs)))
    folder.write({ 'counts.ts': counts(version) })
    await runtime.reload()
  }
  const results = (await Promise.all(handles.map((handle) => handle.result()))) as [n: number, version: number][]
  expect(results.map(([n]) => n)).toEqual(handles.map((_, index) => index))
  expect(log.all.map(({ name }) => name)).toEqual(handles.map(() => 'started'))
  expect(await runtime.check()).toEqual([])
})

test('while all old threads are at work, no more than `threads` runs go on', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, { 'slow.ts': waits('slow', '') })
  await using runtime = await openRuntime(scratch, folder.url, { threads: 1 })
  const log = new EventLog(runtime)
  const [first, second] = await Promise.all([runtime.enqueue('slow', undefined), runtime.enqueue('slow', undefined)])
  await log.said(first.id, 'at gate')
  await runtime.reload()
  await runtime.reload()
  expect(log.namesOf(second.id)).toEqual([])
  openGate('slow')
  await first.result()
  await log.said(second.id, 'at gate')
  openGate('slow')
  await second.result()
})

test('the options of a kind are those of its new file', async () => {
  using scratch = new Scratch()
  const spins = (attemptsMax: number, timeout: string) =>
    `export const timeout = '${timeout}'
     export const retry = { attemptsMax: ${attemptsMax}, backoff: { base: 0, max: 0, jitter: 0 } }
     export function run() { for (;;); }`
  const folder = new JobFolder(scratch, { 'spins.ts': spins(1, '20ms') })
  await using runtime = await openRuntime(scratch, folder.url)
  const failed = () => run(runtime, 'spins').catch((error: unknown) => error)
  expect(await failed()).toMatchObject({ attempt: 1, cause: { message: expect.stringContaining('timeout of 20ms') } })
  folder.write({ 'spins.ts': spins(3, '30ms') })
  expect(await runtime.reload()).toMatchObject({ changed: ['spins'] })
  expect(await failed()).toMatchObject({ attempt: 3, cause: { message: expect.stringContaining('timeout of 30ms') } })
})

test('threads of kinds with limits and child processes are replaced, too, also where the limits change', async () => {
  using scratch = new Scratch()
  const gateFile = scratch.file('open')
  const kinds = (answer: string, heapMb: number) => ({
    'lane.ts': `import { resourceLimits } from 'node:worker_threads'
      export const memory = { heapMb: ${heapMb} }
      export const run = () => ['${answer}', resourceLimits.maxOldGenerationSizeMb]`,
    'child.ts': `export const isolation = 'process'\nexport const run = () => ['${answer}', process.pid]`,
    'busy.ts': `import { existsSync } from 'node:fs'
      import { setTimeout } from 'node:timers/promises'
      export const isolation = 'process'
      export const memory = { heapMb: ${heapMb} }
      export async function run(_, ctx) {
        ctx.progress(0, 'at gate')
        while (!existsSync('${gateFile}')) await setTimeout(5)
        return '${answer}'
      }`,
  })
  const folder = new JobFolder(scratch, kinds('old', 96))
  await using runtime = await openRuntime(scratch, folder.url, { threads: 2 })
  const log = new EventLog(runtime)
  expect(await run(runtime, 'lane')).toEqual(['old', 96])
  const [, oldPid] = (await run(runtime, 'child')) as [string, number]
  const busy = await runtime.enqueue('busy', undefined)
  await log.said(busy.id, 'at gate')
  folder.write(kinds('new', 112))
  await runtime.reload()
  expect(await run(runtime, 'lane')).toEqual(['new', 112])
  const [answer, newPid] = (await run(runtime, 'child')) as [string, number]
  expect(answer).toBe('new')
  expect(newPid).not.toBe(oldPid)
  expect(await runtime.get(busy.id)).toMatchObject({ state: 'running', attempt: 1 })
  writeFileSync(gateFile, '')
  expect(await busy.result()).toBe('old')
  expect(await run(runtime, 'busy')).toBe('new')
  // A kind that runs on common threads from now on, and one that is gone.
  folder.write({ 'child.ts': "export const run = () => 'thread'", 'lane.ts': null })
  await runtime.reload()
  expect(await run(runtime, 'child')).toBe('thread')
  expect(log.all.filter(({ name }) => name === 'error')).toEqual([])
})

test('a file that is broken now takes its kind away, and is mended by the next reload', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, { 'a.ts': answers('a'), 'b.ts': answers('b') })
  await using runtime = await openRuntime(scratch, folder.url, { threads: 2 })
  for (const broken of ['throw new Error("broken")', 'process.exit(3)']) {
    folder.write({ 'b.ts': broken })
    expect(await runtime.reload()).toEqual({
      ...nothing,
      removed: ['b'],
      failed: [{ file: folder.file('b.ts'), error: expect.objectContaining({ code: 'REEVE_JOBS_UNLOADABLE' }) }],
    })
    expect(await run(runtime, 'a')).toBe('a')
    folder.write({ 'b.ts': answers('b') })
    expect(await runtime.reload()).toEqual({ ...nothing, added: ['b'] })
    expect(await run(runtime, 'b')).toBe('b')
  }
})

test('a reload of what does not load at all rejects with the reason, and the old code goes on', async () => {
  using scratch = new Scratch()
  const module = scratch.file('jobs.ts')
  const text = (answer: string) =>
    `import { defineJobs, job } from '${reeve}'\nexport default defineJobs({ a: job({ run: () => '${answer}' }) })`
  writeFileSync(module, text('old'))
  await using runtime = await openRuntime<never>(scratch, pathToFileURL(module), { threads: 2 })
  for (const broken of ['throw new Error("broken")', 'process.exit(3)', 'export default 1']) {
    writeFileSync(module, broken)
    const { code } = await rejection(runtime.reload())
    expect(code).toMatch(/^REEVE_JOBS_(UNLOADABLE|INVALID)$/)
    expect(await run(runtime, 'a')).toBe('old')
  }
  writeFileSync(module, text('new'))
  expect(await runtime.reload()).toEqual({ ...nothing, changed: ['a'] })
  expect(await run(runtime, 'a')).toBe('new')
})

test('what a kind has set up is torn down with its old thread, and the schedules of files come and go with them', async () => {
  using scratch = new Scratch()
  const notes = scratch.file('notes')
  const text = (word: string) => `import { appendFileSync } from 'node:fs'
    const note = (what) => appendFileSync('${notes}', what + ' ${word}\\n')
    export const setup = () => (note('setup'), '${word}')
    export const teardown = () => note('teardown')
    export const run = (_, ctx) => ctx.resource`
  const nightly = `export const schedule = { cron: '0 3 * * *', timeZone: 'UTC' }\n${answers('night')}`
  const folder = new JobFolder(scratch, { 'a.ts': text('old') })
  const runtime = await openRuntime(scratch, folder.url)
  expect(await run(runtime, 'a')).toBe('old')
  expect(await runtime.schedules.list()).toEqual([])
  folder.write({ 'a.ts': text('new'), 'nightly.ts': nightly })
  await runtime.reload()
  expect(await run(runtime, 'a')).toBe('new')
  expect(await runtime.schedules.list()).toMatchObject([{ kind: 'nightly' }])
  await runtime.close()
  const said = readFileSync(notes, 'utf8').trim().split('\n')
  expect(said.toSorted()).toEqual(['setup new', 'setup old', 'teardown new', 'teardown old'])
})

test('what a module imports is fresh after a reload', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, {
    'a.ts': "import { word } from './lib/word.ts'\nexport const run = () => word",
    'lib/word.ts': "export const word = 'old'",
  })
  await using runtime = await openRuntime(scratch, folder.url)
  expect(await run(runtime, 'a')).toBe('old')
  folder.write({ 'lib/word.ts': "export const word = 'new'" })
  expect(await runtime.reload()).toEqual(nothing)
  expect(await run(runtime, 'a')).toBe('new')
  expect(readFileSync(folder.file('a.ts'), 'utf8')).toContain('lib/word.ts')
})

test('reloads that are asked for at once come one after the other, and each sees what was there when it was asked for', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, { 'a.ts': answers('1') })
  await using runtime = await openRuntime(scratch, folder.url, { threads: 2 })
  const first = runtime.reload()
  folder.write({ 'a.ts': answers('2') })
  const second = runtime.reload()
  await Promise.all([first, second])
  expect(await run(runtime, 'a')).toBe('2')
})

test('closing while a reload loads ends both', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, { 'a.ts': answers('a') })
  const runtime = await openRuntime(scratch, folder.url)
  folder.write({ 'a.ts': 'await new Promise(() => undefined)' })
  const reload = rejection(runtime.reload())
  await runtime.close()
  expect((await reload).code).toMatch(/^REEVE_(RUNTIME_CLOSED|SUPERVISOR_DIED)$/)
})

test('a runtime without threads has no kinds, and nothing to reload', async () => {
  using scratch = new Scratch()
  await using runtime = await openRuntime(scratch, undefined, { threads: 0 })
  expect(await runtime.kinds()).toEqual([])
  expect(await runtime.reload()).toEqual(nothing)
})
