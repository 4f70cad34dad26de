import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { watchFilesOf } from '../../src/supervisor/watch-files.ts'
import { answers, JobFolder } from '../support/runtime/job-folder.ts'
import { Scratch } from '../support/runtime/open-runtime.ts'

/** Notes what a watch tells. It tells in order, so a later change shows that an earlier one was ignored. */
function watching(folder: JobFolder) {
  const told: string[] = []
  let [wake, fail] = [() => {}, (_error: unknown) => {}]
  const watch = watchFilesOf(folder.url.href)({
    changed(path) {
      told.push(relative(folder.path, path))
      wake()
    },
    failed: (error) => fail(error),
  })
  const next = () =>
    new Promise<void>((resolve, reject) => {
      wake = resolve
      fail = reject
    })
  return { watch, told, next }
}

test('only code counts, and nothing in node_modules or in folders that begin with a dot', async () => {
  using scratch = new Scratch()
  const folder = new JobFolder(scratch, { 'a.ts': answers('a'), 'lib/b.ts': '', 'node_modules/p/index.js': '', '.git/x.js': '' })
  // A file that is moved into its place is one event.
  for (const name of ['c.ts', 'd.mjs']) writeFileSync(scratch.file(name), '')
  const { watch, told, next } = watching(folder)
  try {
    writeFileSync(folder.file('node_modules/p/index.js'), '1')
    writeFileSync(folder.file('.git/x.js'), '1')
    writeFileSync(folder.file('notes.md'), '1')
    writeFileSync(folder.file('jobs.db-wal'), '1')
    mkdirSync(folder.file('.cache'))
    mkdirSync(folder.file('lib/node_modules'))
    renameSync(scratch.file('c.ts'), folder.file('c.ts'))
    await next()
    renameSync(scratch.file('d.mjs'), join(folder.path, 'lib', 'd.mjs'))
    await next()
    expect(told).toEqual(['c.ts', join('lib', 'd.mjs')])
  } finally {
    watch.close()
  }
})
