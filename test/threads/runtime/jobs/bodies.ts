/** A handler inside one native call, which no `terminate` can cut short, and what a later body sees of the thread before. */
import { pbkdf2Sync } from 'node:crypto'
import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { threadId } from 'node:worker_threads'
import { defineJobs, job } from '../../../../src/index.ts'

/** When a body began, and on which thread. */
export interface BodyStart {
  /** Monotonic milliseconds, on one base for all threads. */
  readonly at: number
  readonly threadId: number
  /** The folder of this thread at the operating system, which is there as long as the thread is; empty where unknown. */
  readonly task: string
}

export default defineJobs({
  blocks: job({
    timeout: '200ms',
    retry: { attemptsMax: 2, backoff: { base: 1, jitter: 0 } },
    run({ iterations, file }: { iterations: number; file: string }, ctx) {
      const task = process.platform === 'linux' ? `/proc/${readlinkSync('/proc/thread-self')}` : ''
      const begun: BodyStart = { at: Number(process.hrtime.bigint()) / 1e6, threadId, task }
      if (ctx.attempt === 1) {
        writeFileSync(file, JSON.stringify(begun))
        ctx.progress(0, 'blocking')
        pbkdf2Sync('password', 'salt', iterations, 64, 'sha512')
        throw new Error('the native call came to its end, and the thread was still there')
      }
      const first = JSON.parse(readFileSync(file, 'utf8')) as BodyStart
      return { first, second: begun, firstLives: first.task !== '' && existsSync(first.task) }
    },
  }),
})
