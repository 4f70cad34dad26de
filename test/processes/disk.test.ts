/** A disk that is really full: a small file system of its own. Needs the right to mount one. */
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createRuntime } from '../../src/index.ts'
import type jobs from '../support/processes/jobs.ts'
import { EventLog } from '../support/runtime/event-log.ts'
import { rejection, Scratch } from '../support/runtime/open-runtime.ts'
import { scratchFolder } from '../support/store/scratch.ts'

const jobsUrl = new URL('../support/processes/jobs.ts', import.meta.url)

/** Null where nothing can be mounted. */
function smallDisk(): string | null {
  const folder = scratchFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return null
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  return folder
}

test('on a full disk enqueues are refused, what runs settles once there is space, and nothing acknowledged is lost', async ({
  skip,
}) => {
  const disk = smallDisk()
  if (disk === null) return skip('no file system can be mounted here')
  using scratch = new Scratch()
  const file = scratch.file('go on')
  await using runtime = await createRuntime<typeof jobs>({ database: join(disk, 'jobs.db'), jobs: jobsUrl, threads: 1 })
  const events = new EventLog(runtime)
  const running = await runtime.enqueue('untilFile', file)
  await events.of('started', running.id)
  const handles = [await runtime.enqueue('now')]
  const fill = () => {
    for (let block = 0; ; block++) {
      try {
        writeFileSync(join(disk, `full-${block}`), Buffer.alloc(4_096))
      } catch {
        return
      }
    }
  }
  fill()
  for (;;) {
    const outcome = await runtime.enqueue('writes', 'x'.repeat(50_000)).catch((error: unknown) => error)
    if (outcome instanceof Error) {
      expect(outcome).toMatchObject({ code: 'REEVE_JOB_NOT_ENQUEUED', cause: { code: 'REEVE_DATABASE_FULL' } })
      break
    }
  }
  writeFileSync(file, '')
  for (let block = 0; block < 300; block++) rmSync(join(disk, `full-${block}`), { force: true })
  expect(await running.result()).toBe(process.pid)
  for (const handle of handles) await handle.result()
  expect(await (await runtime.enqueue('now')).result()).toBeGreaterThan(0)
  expect(await rejection((await runtime.enqueue('writes', '/')).result())).toMatchObject({ code: 'REEVE_JOB_DISCARDED' })
  expect(await runtime.check()).toEqual([])
})
