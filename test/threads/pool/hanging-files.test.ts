import { existsSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { answers, JobFolder } from '../../support/runtime/job-folder.ts'
import { Scratch } from '../../support/runtime/open-runtime.ts'
import { ManualTimers } from '../../support/threads/manual-timers.ts'
import { TestPool } from '../../support/threads/test-pool.ts'

/** The bound of a load, which fires when the test says so. */
const loadTimeoutMs = 20_000

/** A file that says that it is there, and then never loads. */
function hangs(marker: string, how: string): string {
  return `import { writeFileSync } from 'node:fs'\nwriteFileSync('${marker}', '')\n${how}\n${answers('never')}`
}

const waysToHang = [
  ['spins', 'for (;;);'],
  ['never settles', 'await new Promise(() => undefined)'],
] as const

test.each(waysToHang)('a file that %s while it loads is left out, and the others run', async (_what, how) => {
  using scratch = new Scratch()
  const marker = scratch.file('marker')
  const { url, file } = folderOf(scratch, { 'a.ts': answers('a'), 'bad.ts': hangs(marker, how), 'z.ts': answers('z') })
  const timers = new ManualTimers(loadTimeoutMs)
  await using pool = new TestPool('', { jobsUrl: url, clock: timers.clock, loadTimeoutMs })
  const opened = pool.open()
  await timers.until(() => existsSync(marker))
  timers.fire()
  expect(Object.keys(await opened)).toEqual(['a', 'z'])
  expect(await (await pool.start('z')).settled()).toMatchObject({ type: 'returned', result: '"z"' })
  const { message } = await (await pool.start('bad')).failed('unknown-kind')
  expect(message).toContain(`${file('bad.ts')} did not load within ${loadTimeoutMs} ms`)
  expect(pool.filesThatFailed).toMatchObject([{ file: file('bad.ts'), kind: 'bad' }])
  expect(pool.unusable).toEqual([])
})

test.each(waysToHang)(
  'a file that %s since it was changed is left out of a reload, and tried again by the next',
  async (_what, how) => {
    using scratch = new Scratch()
    const marker = scratch.file('marker')
    const folder = folderOf(scratch, { 'a.ts': answers('a'), 'bad.ts': answers('once') })
    const timers = new ManualTimers(loadTimeoutMs)
    await using pool = new TestPool('', { jobsUrl: folder.url, clock: timers.clock, loadTimeoutMs })
    expect(Object.keys(await pool.open())).toEqual(['a', 'bad'])
    folder.write({ 'bad.ts': hangs(marker, how) })
    const recycled = pool.pool.recycle()
    await timers.until(() => existsSync(marker))
    // The old code runs meanwhile.
    expect(await (await pool.start('bad')).settled()).toMatchObject({ type: 'returned', result: '"once"' })
    timers.fire()
    const { catalog, failed } = await recycled
    expect([Object.keys(catalog), failed.map(({ kind }) => kind)]).toEqual([['a'], ['bad']])
    await (await pool.start('bad')).failed('unknown-kind')
    folder.write({ 'bad.ts': answers('again') })
    rmSync(marker)
    expect(Object.keys((await pool.pool.recycle()).catalog)).toEqual(['a', 'bad'])
    expect(await (await pool.start('bad')).settled()).toMatchObject({ type: 'returned', result: '"again"' })
  },
)

test('a module that never loads at a reload leaves the old threads as they are', async () => {
  using scratch = new Scratch()
  const marker = scratch.file('marker')
  const folder = folderOf(scratch, { 'a.ts': answers('old') })
  const timers = new ManualTimers(loadTimeoutMs)
  await using pool = new TestPool('', { jobsUrl: folder.url, clock: timers.clock, loadTimeoutMs })
  await pool.open()
  folder.write({ 'a.ts': hangs(marker, 'for (;;);') })
  const recycled = expect(pool.pool.recycle()).rejects.toMatchObject({ code: 'REEVE_JOBS_UNLOADABLE' })
  await timers.until(() => existsSync(marker))
  timers.fire()
  await recycled
  expect(await (await pool.start('a')).settled()).toMatchObject({ type: 'returned', result: '"old"' })
})

function folderOf(scratch: Scratch, files: Record<string, string>) {
  const folder = new JobFolder(scratch, files)
  return {
    url: folder.url.href,
    file: (name: string) => folder.file(name),
    write: (texts: Record<string, string>) => folder.write(texts),
  }
}
