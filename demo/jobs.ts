/** The demo's kinds of jobs. This file runs on worker threads only; the app imports its type. */
import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { defineJobs, job } from 'reeve'

/** A file to work on, and where each start of a handler is written down, if anywhere. */
export interface DigestInput {
  readonly file: string
  readonly startsFile?: string
}

/** What there is to know of a file. */
export interface Digest {
  readonly file: string
  readonly bytes: number
  readonly gzipBytes: number
  readonly brotliBytes: number
  readonly words: number
  readonly sha256: string
}

export default defineJobs({
  /** Real work for a processor, done once for each file. */
  digest: job({
    timeout: '1m',
    async run({ file, startsFile }: DigestInput, ctx): Promise<Digest> {
      if (startsFile !== undefined) appendFileSync(startsFile, `${ctx.job.id}\n`)
      const content = await readFile(file)
      return {
        file,
        bytes: content.length,
        gzipBytes: gzipSync(content, { level: 9 }).length,
        brotliBytes: brotliCompressSync(content).length,
        words: content.toString('utf8').match(/\p{L}+/gu)?.length ?? 0,
        sha256: createHash('sha256').update(content).digest('hex'),
      }
    },
  }),

  /** A regular expression that backtracks for longer than anybody lives. No signal reaches it; its timeout does. */
  runaway: job({
    timeout: '1s',
    retry: { attemptsMax: 1 },
    run: () => /^(a+)+$/.test(`${'a'.repeat(60)}!`),
  }),

  /** Fails twice, as a network does, and then works. */
  flaky: job({
    retry: { attemptsMax: 5, backoff: { base: '250ms' } },
    run(_input: undefined, ctx) {
      if (ctx.attempt < 3) throw Object.assign(new Error('The line is busy.'), { code: 'ELINEBUSY' })
      return `worked at attempt ${ctx.attempt}`
    },
  }),

  /** Says that it has begun, and then never looks whether anybody wants it to stop. */
  deaf: job({
    stopGrace: '500ms',
    run(_input: undefined, ctx) {
      ctx.progress(null, 'not listening')
      for (;;);
    },
  }),
})
