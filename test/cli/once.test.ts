import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { createRuntime } from '../../src/index.ts'
import { buildIfStale } from '../support/built-package.ts'
import { JobFolder } from '../support/runtime/job-folder.ts'
import { oldNode } from '../support/runtime/old-node.ts'
import { Scratch } from '../support/runtime/open-runtime.ts'

const bin = new URL('../../dist/cli/main.js', import.meta.url)

beforeAll(buildIfStale)

const files = {
  'sum.ts': `export function run(input: number[], ctx): number {
      ctx.log.info({ count: input.length }, 'adding')
      ctx.progress(0.5, 'half')
      return input.reduce((a, b) => a + b, 0)
    }`,
  'nothing.ts': 'export const run = () => undefined',
  'rich.ts': 'export const run = () => ({ big: 10n, map: new Map([[1, 2]]), bytes: new Uint8Array([1, 2]) })',
  'fails.ts': "export const run = (_, ctx) => { throw new RangeError('broken in ' + ctx.attempt) }",
  'waits.ts': `export const run = (_, ctx) => new Promise((_, reject) => {
      ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
      ctx.progress(0, 'here')
    })`,
  'spins.ts': 'export function run() { for (;;); }',
  'broken.ts': "throw new Error('no password')",
}

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command as a shell would; `act` sees it run. */
async function reeve(
  args: readonly string[],
  {
    act,
    stdin = '',
    node = process.execPath,
    temp,
  }: { act?: (stderr: string, kill: () => void) => void; stdin?: string; node?: string; temp?: string } = {},
): Promise<Ended> {
  const env = { ...process.env, ...(temp !== undefined && { TMPDIR: temp }) }
  const child = spawn(node, [fileURLToPath(bin), ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    act?.(stderr, () => child.kill('SIGINT'))
  })
  child.stdin.end(stdin)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

test('the result is on stdout as JSON, and log and progress are on stderr', async () => {
  using scratch = new Scratch()
  const { path } = new JobFolder(scratch, files)
  expect(await reeve(['once', 'sum', '[1,2,3]', '--jobs', path])).toEqual({
    code: 0,
    stdout: '6\n',
    stderr: expect.stringMatching(/info adding \{"count":3\}\n(.*\n)*progress 50 % half\n/),
  })
})

test('the input comes from stdin where it is -, and a result that JSON cannot hold is put as near as it can be', async () => {
  using scratch = new Scratch()
  const { path } = new JobFolder(scratch, files)
  expect(await reeve(['once', 'sum', '-', '-j', path], { stdin: '[4, 5]' })).toMatchObject({ code: 0, stdout: '9\n' })
  expect(await reeve(['once', 'nothing', '-j', path])).toMatchObject({ code: 0, stdout: 'null\n' })
  const rich = await reeve(['once', 'rich', '-j', path])
  expect(rich).toMatchObject({ code: 0, stdout: '{"big":"10","map":[[1,2]],"bytes":"AQI="}\n' })
})

test('a job that fails is told with its stack, tried as often as is said, and ends with 1', async () => {
  using scratch = new Scratch()
  const { path } = new JobFolder(scratch, files)
  const failed = await reeve(['once', 'fails', '-j', path])
  expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/RangeError: broken in 1\n.*fails\.ts:1/s) })
  const twice = await reeve(['once', 'fails', '-j', path, '--attempts', '2'])
  expect(twice).toMatchObject({ code: 1, stderr: expect.stringMatching(/attempt 1 failed: broken in 1\n.*broken in 2/s) })
  const late = await reeve(['once', 'spins', '-j', path, '--timeout', '50ms'])
  expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('timeout of 50ms') })
})

test.each([
  ['no kind', ['--jobs', 'JOBS'], /missing required argument 'kind'/],
  ['no jobs', ['sum'], /--jobs <path>' not specified/],
  ['no JSON', ['sum', '{a:1}', '--jobs', 'JOBS'], /The input is no JSON/],
  ['a misspelt kind', ['smu', '--jobs', 'JOBS'], /has no kind 'smu'; did you mean 'sum'\?/],
  ['a kind whose file does not load', ['broken', '--jobs', 'JOBS'], /broken\.ts could not be loaded: Error: no password/],
  ['jobs that are not there', ['sum', '--jobs', 'JOBS/nowhere'], /There is nothing at .*nowhere/],
  ['a wrong duration', ['sum', '--jobs', 'JOBS', '--timeout', '3 parsecs'], /Accepted: milliseconds/],
  ['a wrong number of attempts', ['sum', '--jobs', 'JOBS', '--attempts', '0'], /a whole number from 1 to 999/],
  ['an option that does not exist', ['sum', '--jobs', 'JOBS', '--fast'], /unknown option '--fast'/],
])('%s ends with 2 and a sentence, and nothing is run', async (_what, args, sentence) => {
  using scratch = new Scratch()
  const { path } = new JobFolder(scratch, files)
  const end = await reeve(['once', ...args.map((arg) => arg.replace('JOBS', path))])
  expect(end).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(sentence) })
  expect(end.stderr).not.toMatch(/^ {4}at /m)
})

test('Ctrl-C cancels the job, which ends with 130 and leaves no temporary database', async () => {
  using scratch = new Scratch()
  const { path } = new JobFolder(scratch, files)
  let killed = false
  const end = await reeve(['once', 'waits', '-j', path], {
    temp: scratch.folder,
    act(stderr, kill) {
      if (killed || !stderr.includes('progress 0 % here')) return
      killed = true
      expect(readdirSync(scratch.folder).filter((name) => name.startsWith('reeve-once-'))).toHaveLength(1)
      kill()
    },
  })
  expect(end).toMatchObject({ code: 130, stdout: '', stderr: expect.stringMatching(/The job was cancelled\.\n$/) })
  expect(readdirSync(scratch.folder).filter((name) => name.startsWith('reeve-once-'))).toEqual([])
})

test('with a database the job stays in it, and no other job of it is run', async () => {
  using scratch = new Scratch()
  const { path } = new JobFolder(scratch, files)
  const app = await createRuntime({ database: scratch.database, threads: 0 })
  const { id } = await app.enqueue('sum', [1] as never)
  const end = await reeve(['once', 'sum', '[2]', '-j', path, '--database', scratch.database])
  expect(end).toMatchObject({ code: 0, stdout: '2\n' })
  expect(await app.get(id)).toMatchObject({ state: 'ready', attempt: 0 })
  expect(await app.counts()).toMatchObject({ ready: 1, completed: 1 })
  await app.close()
})

test('help and version say what there is', async () => {
  expect(await reeve(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('once [options] <kind> [json]') })
  expect(await reeve(['once', '--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Exit codes:.*130.*Examples:/s),
  })
  expect(await reeve(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
})

const old = oldNode()

test.skipIf(old === undefined)('an older Node.js gets a sentence (skipped where the machine has none)', async () => {
  const end = await reeve(['once', 'sum', '--jobs', 'x'], { node: old ?? '' })
  expect(end).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^Reeve needs Node\.js 22\.18 or later; this is .*\n$/),
  })
})
